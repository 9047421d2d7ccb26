import { afterAll, beforeAll } from 'vitest';
import { mailRefs } from '../../../src/mail/jmap/mail/email-ref.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { otherClient } from '../../support/jmap/other-client.js';
import { makeSession } from '../../support/test-session.js';
import { bindMailbox } from '../support/edit-manifest.js';
import type { FacadePlace } from './facade-suite.js';
import { agentOf, twoAgents } from './two-agents.js';

interface RunningServer {
  readonly jmapUrl: string;
  stop(): Promise<void>;
}

const passwordOf = (name: string): string => `${name} pässword`;

/** The mail of two agents on a mail server of a test file. @param start with the passwords of its users by address. */
export function serverPlace(
  start: (users: Readonly<Record<string, string>>) => Promise<RunningServer>,
): Pick<FacadePlace, 'transport' | 'agents' | 'comeToBob'> {
  let server: RunningServer;
  beforeAll(async () => {
    const users = ['alice', 'bob'].map((name) => [addressAt(name), passwordOf(name)]);
    server = await start(Object.fromEntries(users));
  });
  // Hooks run in reverse: its agents end before it.
  afterAll(() => server.stop());
  const agents = twoAgents(async (name) => {
    const session = await makeSession({ name });
    const credential = { password: passwordOf(name) };
    bindMailbox(session.paths, { address: addressAt(name), jmapUrl: server.jmapUrl, credential });
    return agentOf(session, addressAt(name));
  });
  return {
    transport: 'stalwart',
    agents,
    comeToBob: async (subject, at) => {
      const bob = await otherClient(server, addressAt('bob'), passwordOf('bob'));
      const head = [`From: ${addressAt('alice')}`, `To: ${addressAt('bob')}`, `Subject: ${subject}`];
      const id = await bob.bringIn(`${head.join('\r\n')}\r\n\r\nHello.\r\n`, at);
      return mailRefs({ jmapUrl: server.jmapUrl, address: addressAt('bob') }).message(id);
    },
  };
}
