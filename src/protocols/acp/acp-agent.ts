import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import type { ReadableStream, WritableStream } from 'node:stream/web';
import {
  type AgentApp,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { version } from '../../foundation/version.js';
import { type AcpAgent, AcpSession } from './acp-session.js';
import { promptText, UnusableBlock } from './acp-words.js';

/** Leads to the agent; explains failures. */
export interface AcpBackend {
  /** Finds the agent, for each session again: its gateway may start later. @throws when there is no way to it. */
  agent(): Promise<AcpAgent>;
  /**
   * Says in words why a call failed, and whether what was asked for is the reason, such as an agent that there is not; null for a fault
   * of the program itself.
   */
  explain(error: unknown): { readonly words: string; readonly isMistake: boolean } | null;
}

/**
 * Serves ACP over the given streams until the client closes its end. Standard output belongs to the protocol: nothing else may be written
 * there.
 */
export async function serveAcpOverStdio(
  backend: AcpBackend,
  input: Readable,
  output: Writable,
): Promise<void> {
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  await acpAgent(backend).connect(stream).closed;
}

/** Makes the agent that editors talk to. Its prompts go through the queue of the gateway. */
function acpAgent({ agent: find, explain }: AcpBackend): AgentApp {
  const sessions = new Map<string, AcpSession>();
  const open = (id: string): AcpSession => {
    const session = sessions.get(id);
    if (session === undefined)
      throw RequestError.invalidParams({ sessionId: id }, `no session ${id} is open`);
    return session;
  };
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RequestError) throw error;
      if (error instanceof UnusableBlock) throw RequestError.invalidParams(undefined, error.message);
      const why = explain(error);
      if (why === null) throw error;
      const { words, isMistake } = why;
      throw RequestError[isMistake ? 'invalidParams' : 'internalError'](undefined, words);
    }
  };
  return agent({ name: 'houmao' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'houmao', title: 'Houmao', version },
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ client }) =>
      explained(async () => {
        const session = new AcpSession(`acp-${randomBytes(6).toString('hex')}`, await find(), client);
        sessions.set(session.id, session);
        return { sessionId: session.id };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId }, client }) =>
      explained(async () => {
        if (!/^acp-[0-9a-f]{12}$/.test(sessionId))
          throw RequestError.invalidParams({ sessionId }, `${sessionId} is no session of Houmao`);
        if (sessions.get(sessionId)?.isBusy)
          throw RequestError.invalidRequest({ sessionId }, 'a prompt of this session is under way');
        const session = new AcpSession(sessionId, await find(), client);
        // A session that was opened here may have no turn yet.
        if ((await session.replay()) === 0 && !sessions.has(sessionId))
          throw RequestError.invalidParams({ sessionId }, `the agent has no turn of session ${sessionId}`);
        sessions.set(sessionId, session);
        return {};
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, signal }) =>
      explained(() => open(sessionId).prompt(promptText(prompt), signal)),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => open(sessionId).cancel());
}
