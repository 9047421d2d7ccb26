import { dirname, join } from 'node:path';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { fixedStamps } from '../mail/facade/mail-facade.js';
import { FilesystemTransport } from '../mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../mail/filesystem/open-mail-root.js';
import { toMailRef } from '../mail/message/message-id.js';
import { readManifest } from '../session/manifest.js';
import type { DemoAgent } from './demo-agent.js';
import type { DemoServer } from './demo-server.js';

/** The turn and the terminal that the contract's samples name, so that a user who tries a sample on the page finds them. */
const samples = { turnId: 'turn-0f3c9d2b7a11', terminalId: '1a2b3c4d' };

/** Runs a turn of that name at the agent, unless an earlier start did. */
export async function layOutTurn({ url }: DemoAgent): Promise<void> {
  try {
    await createGatewayClient({ baseUrl: url }).submitRequest({
      body: { kind: 'submit_prompt', payload: { prompt: 'Hello', turn_id: samples.turnId } },
    });
  } catch (error) {
    if (!isGatewayError(error) || error.status !== 422) throw error;
  }
}

/** Registers the terminal under its sample name at the server. */
export async function nameTerminal(server: DemoServer, { terminal, paths, name }: DemoAgent): Promise<void> {
  if (!terminal) return;
  const session = readManifest(paths.manifest).tmux_session_name ?? '';
  await createHoumaoClient({ baseUrl: server.url }).registerLaunch({
    query: {
      session_name: session,
      tool: 'claude',
      terminal_id: samples.terminalId,
      manifest_path: paths.manifest,
      agent_name: `HOUMAO-${name}`,
    },
  });
}

/** Gives the queue and the reminders an entry to try things on without harm, unless an earlier start did. */
export async function layOutWork({ url }: DemoAgent): Promise<void> {
  const client = createGatewayClient({ baseUrl: url });
  const { requests } = await client.listRequests({ query: { state: 'cancelled', limit: 1 } });
  if (requests.length === 0) await cancelOne(client);
  const { reminders } = await client.listReminders();
  if (reminders.length === 0)
    await client.createReminders({
      body: {
        reminders: [
          {
            mode: 'one_off',
            title: 'Look again',
            prompt: 'Look again at what is open.',
            // It ranks after all others, and is not due before tomorrow.
            ranking: 1000,
            start_after_seconds: 24 * 60 * 60,
          },
        ],
      },
    });
}

/** Leaves one cancelled request. The queue is paused meanwhile, so that nothing is handed to the agent. */
async function cancelOne(client: ReturnType<typeof createGatewayClient>): Promise<void> {
  const { paused } = await client.getQueue();
  await client.updateQueue({ body: { paused: true } });
  const { request_id } = await client.submitRequest({
    body: { kind: 'submit_prompt', payload: { prompt: 'Never mind' } },
  });
  await client.cancelRequest({ path: { request_id } });
  if (!paused) await client.updateQueue({ body: { paused: false } });
}

/** The message that the contract's samples name, so that a user who tries a sample on the page finds it. */
const sample = {
  messageId: 'msg-20260319T080000Z-a1b2c3d4e5f64798aabbccddeeff0011',
  at: Date.parse('2026-03-19T08:00:00Z'),
  again: true,
};

const mailboxOf = (mailbox: string, name: string, clock: Clock): FilesystemTransport =>
  new FilesystemTransport(openMailRoot(mailbox, clock), {
    address: `${name}@houmao.localhost`,
    principalId: `HOUMAO-${name}`,
  });

/** Writes the file that comes with the message, beside the mail folder. */
function noteIn(mailbox: string): string {
  const path = join(dirname(mailbox), 'parser-notes.md');
  writeFileAtomic(path, '# Notes on the parser\n\nWhat is in a mail is for its reader.\n');
  return path;
}

/** Ensures that the sample message from the other agent is unread in the inbox of one agent. */
export async function layOutSample(mailbox: string, clock: Clock): Promise<void> {
  const reviewer = mailboxOf(mailbox, 'reviewer', clock);
  const demo = mailboxOf(mailbox, 'demo', clock);
  try {
    const mail = { to: ['demo@houmao.localhost'], cc: [], subject: 'Gateway unread reminder' };
    const attachments = [{ path: noteIn(mailbox), label: null }];
    const text = { body: 'Hello from the shared mailbox surface', attachments };
    await reviewer.send({ ...mail, ...text, notifyBlock: null, notifyAuth: null }, fixedStamps(sample));
    const flags = { archived: false, read: false, answered: false };
    await demo.mark([toMailRef(sample.messageId)], flags);
  } finally {
    reviewer.close();
    demo.close();
  }
}
