import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { durableCredential } from '../../../src/session/session-secrets.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, startCyrus } from '../../support/jmap/cyrus-server.js';
import { makeSession } from '../../support/test-session.js';
import { bindMailbox } from '../support/edit-manifest.js';
import { agentOf, type MailAgent } from './two-agents.js';

/** An agent with its mailbox on a mail server, for all tests of a file. */
export interface ServerAgent {
  readonly server: CyrusServer;
  readonly agent: MailAgent;
  readonly address: string;
  /** Gives it the same mailbox by another way, or with another credential. */
  bind(changes: { jmapUrl?: string; password?: string; token?: string }): void;
  /** Puts another token where the host keeps its credentials: the binding stays as it is. */
  renewToken(token: string): void;
}

export function serverAgent(name: string): ServerAgent {
  const address = addressAt(name);
  const password = `${name}-pw`;
  let server: CyrusServer | null = null;
  let agent: (MailAgent & { end(): Promise<void> }) | null = null;
  const it: ServerAgent = {
    address,
    get server() {
      return server!;
    },
    get agent() {
      return agent!;
    },
    bind: (changes) => {
      const { jmapUrl = it.server.jmapUrl, password: other = password, token } = changes;
      const credential = token === undefined ? { password: other } : { bearer_token: token };
      bindMailbox(it.agent.session.paths, { address, jmapUrl, credential });
    },
    renewToken: (token) => {
      const { paths } = it.agent.session;
      const { credential_ref: ref } = JSON.parse(readFileSync(paths.manifest, 'utf8')).launch_plan.mailbox;
      const file = durableCredential(dirname(dirname(dirname(paths.root))), ref);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ bearer_token: token }), { mode: 0o600 });
    },
  };
  beforeAll(async () => {
    server = await startCyrus({ [address]: password });
    const session = await makeSession({ name });
    bindMailbox(session.paths, { address, jmapUrl: server.jmapUrl, credential: { password } });
    agent = await agentOf(session, address);
  });
  afterAll(async () => {
    await agent?.end();
    await server?.stop();
  });
  return it;
}
