import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { type Answer, call } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from '../support/ask.js';
import { expectClean } from '../support/clean-answer.js';

/** An agent with a mailbox, behind its gateway. */
export interface MailAgent {
  readonly session: TestSession;
  readonly gateway: GatewayProcess;
  readonly address: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** An operation of its mailbox, such as `list`. */
  mail(operation: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  restart(): Promise<void>;
}

export interface TwoMailAgents {
  readonly alice: MailAgent;
  readonly bob: MailAgent;
}

/** Two agents that share a root, for all tests of a file: those take nothing for granted that others left. */
export function twoMailAgents(): TwoMailAgents & { readonly root: string } {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-mail-'));
  const root = join(folder, 'mailbox');
  // The folder goes after its agents.
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return Object.defineProperty(
    twoAgents((name) => startMailAgent(root, name)),
    'root',
    { value: root },
  ) as TwoMailAgents & { root: string };
}

/** Alice and Bob for all tests of a file. */
export function twoAgents(
  start: (name: string) => Promise<MailAgent & { end(): Promise<void> }>,
): TwoMailAgents {
  const agents: Record<string, MailAgent & { end(): Promise<void> }> = {};
  beforeAll(async () => {
    for (const name of ['alice', 'bob']) agents[name] = await start(name);
  });
  afterAll(async () => {
    for (const agent of Object.values(agents)) await agent.end();
  });
  return {
    get alice() {
      return agents.alice!;
    },
    get bob() {
      return agents.bob!;
    },
  };
}

/** An agent of a test's own, which the test ends. */
export async function startMailAgent(
  root: string,
  name: string,
): Promise<MailAgent & { end(): Promise<void> }> {
  const session = await makeSession({ name, mailbox: { root, address: null, principalId: null } });
  return agentOf(session, `${name}@houmao.localhost`);
}

/** An agent that has its mailbox, behind a gateway of its own. */
export async function agentOf(
  session: TestSession,
  address: string,
): Promise<MailAgent & { end(): Promise<void> }> {
  let gateway = await startGateway(session);
  const agent: MailAgent & { end(): Promise<void> } = {
    session,
    get gateway() {
      return gateway;
    },
    address,
    ask: (method, path, body, headers) => ask(gateway.url, method, path, body, headers),
    mail: async (operation, body, headers) => {
      const method = operation === 'status' ? 'GET' : 'POST';
      const answer = await call(gateway.url, method, `/v1/mail/${operation}`, body, headers);
      // Where files of the mailbox and of its callers lie is shown to those who may read them.
      expectClean(JSON.stringify(answer.body).replaceAll(tmpdir(), ''));
      return answer;
    },
    restart: async () => {
      await gateway.stop();
      gateway = await startGateway(session);
    },
    end: async () => {
      await gateway.stop();
      session.remove();
    },
  };
  return agent;
}
