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

/** Two agents that share a root, for all tests of a file: those take nothing for granted that others left. */
export function twoMailAgents(): {
  readonly root: string;
  readonly alice: MailAgent;
  readonly bob: MailAgent;
} {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-mail-'));
  const root = join(folder, 'mailbox');
  const agents: Record<string, MailAgent & { end(): Promise<void> }> = {};
  beforeAll(async () => {
    for (const name of ['alice', 'bob']) agents[name] = await startMailAgent(root, name);
  });
  afterAll(async () => {
    for (const agent of Object.values(agents)) await agent.end();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    root,
    get alice() {
      return agents.alice!;
    },
    get bob() {
      return agents.bob!;
    },
  };
}

/** An agent of a test's own. Whoever starts it ends it. */
export async function startMailAgent(
  root: string,
  name: string,
): Promise<MailAgent & { end(): Promise<void> }> {
  const session = await makeSession({ name, mailbox: { root, address: null, principalId: null } });
  let gateway = await startGateway(session);
  const agent: MailAgent & { end(): Promise<void> } = {
    session,
    get gateway() {
      return gateway;
    },
    address: `${name}@houmao.localhost`,
    ask: (method, path, body, headers) => ask(gateway.url, method, path, body, headers),
    mail: async (operation, body, headers) => {
      const method = operation === 'status' ? 'GET' : 'POST';
      const answer = await call(gateway.url, method, `/v1/mail/${operation}`, body, headers);
      // Where files of the mailbox and of its callers lie is told to those who may read them.
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
