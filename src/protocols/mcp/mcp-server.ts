import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { version } from '../../foundation/version.js';
import type { WorkCall } from '../agent-work.js';
import { agentTools } from './agent-tools.js';
import { cancelTask, type Empty, newTask, type Task, taskNow, tasksExtension } from './tasks.js';
import { failureText } from './tool-words.js';
import { ToolFailure } from './wait-for-work.js';
import { workTools } from './work-tools.js';

/** Leads to the server whose agents the tools reach. */
export interface McpBackend {
  /** Finds the server, for each call again: it may start later, or come back at another address. @throws when there is none. */
  client(): Promise<HoumaoClient>;
  /** Ends the waits of all calls; the agents' work goes on. */
  readonly stopped: AbortSignal;
  /** Says in words why {@link client} failed; null for a fault of the program itself. */
  explain(error: unknown): string | null;
  /** Receives each fault of the program itself. */
  report(fault: string): void;
}

const instructions = `Coding agents of this host, each with a durable queue. prompt gives one a task and waits; its work outlives your call: keep the id in the result and call wait.
"accepted" means stored; only "delivery: confirmed" means that the agent has the prompt, with the evidence beside it. An unknown outcome is called unknown: repeat with the idempotency_key that the result names.`;

/** Makes an MCP server with the tools: one for each connection over stdio, one for each request over HTTP. */
export function mcpServer(backend: McpBackend): McpServer {
  const { client, stopped } = backend;
  const callOf = async (signal: AbortSignal) => ({
    client: await client(),
    signal: AbortSignal.any([signal, stopped]),
  });
  const capabilities = { tools: {}, extensions: { [tasksExtension]: {} } };
  const server = new McpServer({ name: 'houmao', title: 'Houmao', version }, { instructions, capabilities });
  for (const { name, title, description, input, reads, run, submit } of [...agentTools, ...workTools])
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: { readOnlyHint: reads, destructiveHint: name === 'interrupt', openWorldHint: false },
      },
      async (given, { mcpReq }) => {
        try {
          const call = { ...(await callOf(mcpReq.signal)), progress: progressOf(mcpReq) };
          // The library's type knows results that are complete; it sends a task as it is.
          if (submit && knowsTasks(mcpReq.envelope))
            return (await newTask(
              await submit(given, call),
              mostOf(given),
              call,
            )) as unknown as CallToolResult;
          return { content: [{ type: 'text', text: await run(given, call) }] };
        } catch (error) {
          return {
            content: [{ type: 'text', text: explained(error, String(given.agent ?? '<agent>'), backend) }],
            isError: true,
          };
        }
      },
    );
  const id = { params: z.object({ taskId: z.string() }) };
  const ofTask = (method: string, handle: (taskId: string, call: WorkCall) => Promise<Task | Empty>): void =>
    server.server.setRequestHandler(method, id, async ({ taskId }, { mcpReq }) => {
      if (!knowsTasks(mcpReq.envelope))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [tasksExtension]: {} } },
        });
      return handle(taskId, await callOf(mcpReq.signal));
    });
  ofTask('tasks/get', taskNow);
  ofTask('tasks/cancel', cancelTask);
  // A task of ours asks for nothing, so there is nothing to take; it must be one all the same.
  ofTask('tasks/update', async (taskId, call) => taskNow(taskId, call).then(() => ({})));
  return server;
}

/** @param agent the agent of the call. @throws the error when it is a fault of the program itself, which is reported. */
function explained(error: unknown, agent: string, { explain, report }: McpBackend): string {
  if (error instanceof ToolFailure) return error.message;
  const text = failureText(error, agent) ?? explain(error);
  if (text !== null) return text;
  report(`MCP: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  throw error;
}

/** Returns a function that reports progress to a caller that asked for it; another one hears nothing. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): (message: string) => void {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return (message) => {
    progress += 1;
    if (progressToken === undefined) return;
    const params = { progressToken, progress, message };
    // A caller that is gone hears nothing; the call itself ends by its signal.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** Decides by what a request says of its caller, as the stateless revision has it; earlier ones do not. */
function knowsTasks(envelope: ServerContext['mcpReq']['envelope']): boolean {
  const said = envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return said?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[tasksExtension] !== undefined;
}

/** Returns the most characters that a call wants of an answer. */
const mostOf = ({ max_characters }: Readonly<Record<string, unknown>>): number => Number(max_characters);
