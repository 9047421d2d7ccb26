import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openManagedServer } from '../support/managed-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type MailAgent, startMailAgent } from './mail/two-agents.js';
import { agentAtServerEach } from './support/agent-at-server.js';
import { executeAll, marked, unexpected } from './support/execute.js';

// The page's marks of operations that cannot be done hold in places other than that of `npm start`, too.

const patience = { timeout: 60_000 };
/** They end the server or the agent. */
const ending = ['shutdownServer', 'stopAgent'];

test('a server that knows no agent', patience, async () => {
  const server = await openManagedServer(temporaryFolder());
  onTestFinished(() => server.close());
  const executed = await executeAll(server.url, ['shutdownServer']);
  expect(unexpected(executed)).toEqual([]);
  const done = executed.filter(({ status }) => status === 200).map(({ operationId }) => operationId);
  expect(done).toEqual([
    ...[
      'getHealth',
      'getMetrics',
      'getCurrentInstance',
      'getServerAbout',
      'listHostEvents',
      'getFleet',
      'getHostOverview',
    ],
    ...['getHostUsage', 'listNotifications', 'listAgents', 'resolveAgent'],
  ]);
});

describe('a server over an agent without a gateway', () => {
  const here = agentAtServerEach();

  test('before its first turn', patience, async () => {
    const rest = ['attachGateway', 'createTurn', 'submitAgentRequest', 'runHeadlessPrompt', ...ending];
    const executed = await executeAll(here.server.url, rest);
    expect(unexpected(executed)).toEqual([]);
    expect(marked(executed)).toEqual(
      expect.arrayContaining(['getTurn', 'getGatewayQueue', 'sendGatewayKeys', 'listAgentMail']),
    );
    expect(marked(executed)).not.toEqual(expect.arrayContaining(['getAgentState']));
  });
});

describe('a gateway of an agent with a mailbox', () => {
  test('that is empty', patience, async () => {
    const [alice] = await mailAgents('alice');
    const executed = await executeAll(alice.gateway.url, ['controlPrompt']);
    expect(unexpected(executed)).toEqual([]);
    const ofMail = marked(executed).filter((operation) => operation.endsWith('Mail'));
    expect(ofMail).toEqual(['peekMail', 'readMail', 'replyMail', 'markMail', 'moveMail', 'archiveMail']);
  });

  test('with a message in it', patience, async () => {
    const [alice, bob] = await mailAgents('alice', 'bob');
    const hello = { to: [bob!.address], subject: 'Hello', body_content: '' };
    await alice.mail('send', hello);
    const executed = await executeAll(bob!.gateway.url, ['controlPrompt']);
    expect(unexpected(executed)).toEqual([]);
    expect(marked(executed).filter((operation) => /Mail/.test(operation))).toEqual(['fetchMailAttachment']);
    await alice.mail('send', { ...hello, attachments: [{ path: '/etc/hosts' }] });
    const again = await executeAll(bob!.gateway.url, ['controlPrompt']);
    expect(marked(again).filter((operation) => /Mail/.test(operation))).toEqual([]);
  });
});

/** Agents of one mailbox root, for one test. */
async function mailAgents(...names: string[]): Promise<[MailAgent, ...MailAgent[]]> {
  const root = join(temporaryFolder(), 'mailbox');
  const agents: MailAgent[] = [];
  for (const name of names) {
    const agent = await startMailAgent(root, name);
    onTestFinished(() => agent.end());
    agents.push(agent);
  }
  return agents as [MailAgent, ...MailAgent[]];
}
