import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isGatewayError, type Schemas } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { executionOf, type PromptFlags } from '../flags/prompt-flags.js';
import type { ServerFlag } from '../flags/server-flag.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { announce, interruptWords } from '../words/request-words.js';
import type { Output } from '../words/terminal-output.js';
import { promptFailure } from '../words/waiting-failure.js';
import { interruptAtServer, promptAtServer } from './at-server/prompt-at-server.js';
import { interruptible } from './interruptible.js';
import { wayTo } from './way-to.js';

/**
 * `agents prompt`: queues a prompt, or has a server hand it over where the agent has no gateway; shows what becomes of it, prints
 * the answer. `-` reads it from standard input. Ctrl-C ends the waiting alone, and says how to come back.
 */
export async function promptAgent(
  name: string,
  given: string,
  flags: PromptFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const way = await wayTo(name, flags, host, output);
    const prompt = given === '-' ? await standardInput(signal, output) : given;
    if (prompt.trim() === '') throw new CommandFailure('The prompt is empty.', exitCodes.usage);
    if (way.by === 'server') return promptAtServer(way, { name, prompt, flags, signal }, output);
    const { client } = way;
    let record: Schemas['RequestRecord'] | null = null;
    try {
      const answer = await client.prompt(prompt, {
        ...(flags.new ? { chatSession: { mode: 'new' as const } } : {}),
        ...executionOf(flags),
        idempotencyKey: flags.idempotencyKey,
        silenceMs: flags.silenceLimit * 1000,
        signal,
        onUpdate: (update) => {
          announce(record, update, output);
          record = update;
        },
      });
      output.result({ answer, request: record }, [answer]);
    } catch (error) {
      throw isGatewayError(error) ? promptFailure(error, name) : error;
    }
  });
}

async function standardInput(signal: AbortSignal, output: Output): Promise<string> {
  output.progress('Reading the prompt from standard input');
  try {
    return await text(addAbortSignal(signal, process.stdin));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure('Stopped. Nothing was queued.', exitCodes.stopped);
  }
}

/** `agents interrupt`: stops the turn that runs now. */
export async function interruptAgent(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const way = await wayTo(name, flags, host, output);
  if (way.by === 'server') return interruptAtServer(way, output);
  const { client } = way;
  const accepted = await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });
  const record = await client.getRequest({
    path: { request_id: accepted.request_id },
    query: { wait_seconds: 30 },
  });
  if (record.error)
    throw new CommandFailure(interruptWords(record), exitCodes.failed, {
      errorCode: record.error.code,
      requestId: record.request_id,
    });
  output.result(record, [interruptWords(record)]);
}
