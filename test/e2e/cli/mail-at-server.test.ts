// The mail of an agent and its notifier, by a managed-agent server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { dyingGateway } from '../../support/answering-gateway.js';
import { addressOf } from './mail-stage.js';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const { agents, folder } = stage;
const root = join(folder, 'mailbox');
const atServer = () => ['--server', stage.url];
const launch = (...flags: string[]) => stage.launch('--headless', '--no-tmux', ...flags);
/** An agent with a mailbox and a gateway. */
async function mailAgent(): Promise<string> {
  const { name } = await launch('--mailbox', root);
  expect((await agents('gateway', 'attach', name, ...atServer())).code).toBe(0);
  return name;
}
const mail = async (...args: string[]) => {
  const ran = await agents('mail', ...args, ...atServer(), '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
};

test('each command does what it does without a server', async () => {
  const [from, to] = [await mailAgent(), await mailAgent()];
  expect(await mail('status', from)).toMatchObject({
    address: addressOf(from),
    execution_path: 'gateway_backed',
  });
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'kept apart');
  const written = ['--to', addressOf(to), '--subject', 'The parser', '--body-content', 'Is it right?'];
  const { message: sent } = await mail('send', from, ...written, '--attach', file);
  expect(sent).toMatchObject({ subject: 'The parser', box: 'sent' });
  const { messages } = await mail('check', to, '--unread-only');
  expect(messages).toMatchObject([{ subject: 'The parser', sender: { address: addressOf(from) } }]);
  const ref = ['--message-ref', messages[0].message_ref];
  expect((await mail('peek', to, ...ref)).message).toMatchObject({ read: false, body_text: 'Is it right?' });
  const { message } = await mail('read', to, ...ref);
  expect(message).toMatchObject({ read: true, attachments: [{ label: 'notes.txt' }] });
  const attached = ['--attachment-id', message.attachments[0].attachment_id];
  expect(readFileSync((await mail('attachment', to, ...ref, ...attached)).path, 'utf8')).toBe('kept apart');
  expect((await mail('reply', to, ...ref, '--body-content', 'Yes.')).message.subject).toBe('Re: The parser');
  expect((await mail('mark', to, ...ref, '--unread')).messages).toMatchObject([{ read: false }]);
  expect((await mail('mark-read', to, ...ref)).messages).toMatchObject([{ read: true }]);
  expect((await mail('archive', to, ...ref)).messages).toMatchObject([{ box: 'archive' }]);
  expect((await mail('move', to, ...ref, '--destination-box', 'inbox')).messages).toMatchObject([
    { box: 'inbox' },
  ]);
  const note = ['--subject', 'Note', '--body-content', 'Stop.'];
  expect((await mail('post', to, ...note)).message).toMatchObject({ subject: 'Note', box: 'inbox' });
  expect((await mail('list', from)).messages).toMatchObject([{ subject: 'Re: The parser' }]);
});

test('so does the notifier, and an agent that is chosen before the command', async () => {
  const name = await mailAgent();
  const notifier = (...args: string[]) => agents('mail-notifier', ...args, ...atServer());
  expect((await notifier('status', name)).stdout).toContain(`The mail notifier of ${name} is off.`);
  expect((await notifier('enable', name, '--interval', '30s')).stdout).toContain('is on.');
  const single = ['single', '--agent-name', name];
  const reported = await agents(...single, 'mail-notifier', 'status', ...atServer(), '--json');
  expect(JSON.parse(reported.stdout)).toMatchObject({ enabled: true, interval_seconds: 30 });
  expect((await notifier('disable', name)).stdout).toContain('is off.');
  const status = await agents(...single, 'mail', 'status', ...atServer(), '--json');
  expect(JSON.parse(status.stdout).address).toBe(addressOf(name));
});

test('an agent without a gateway, without a mailbox or unknown there is refused by name, with the way out', async () => {
  const { name } = await launch('--mailbox', root);
  const alone = await agents('mail', 'check', name, ...atServer());
  expect([alone.code, alone.stderr]).toEqual([
    6,
    `houmao-mgr: No gateway answers for ${name}. Start one: houmao-mgr agents gateway attach ${name} --server ${stage.url}\n`,
  ]);
  const { name: bare } = await launch();
  expect(await agents('mail', 'status', bare, ...atServer())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`mailbox register ${bare} `),
  });
  expect((await agents('gateway', 'attach', bare, ...atServer())).code).toBe(0);
  for (const flags of [atServer(), []])
    expect(await agents('mail-notifier', 'enable', bare, '--interval', '60', ...flags)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`mailbox register HOUMAO-${bare} `),
    });
  expect(await agents('mail', 'status', 'nobody', ...atServer())).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('nobody'),
  });
  expect(await agents('mail', 'status', ...atServer())).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be left out with --server'),
  });
  expect(await agents('mail', 'status', '--agent-name', bare.toUpperCase(), ...atServer())).toMatchObject({
    code: 5,
  });
  for (const local of [
    ['mailbox', 'status', name],
    ['mail', 'resolve-live', name],
    ['self', 'mail', 'status'],
  ])
    expect(await agents(...local, ...atServer())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown option '--server'"),
    });
});

test('a message that a lost gateway may have delivered is reported as unknown, and is sent again under its key', async () => {
  const { name, root: session } = await launch('--mailbox', root);
  await dyingGateway(sessionPaths(session), '/v1/mail/send');
  const message = ['--to', addressOf(name), '--subject', 'S', '--body-content', 'B'];
  const send = ['mail', 'send', name, ...message, ...atServer(), '--json'];
  const { code, stdout, stderr } = await agents(...send);
  expect([code, stdout]).toEqual([3, '']);
  const reported = JSON.parse(stderr);
  const key = reported.idempotency_key;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(reported.remedies).toEqual([
    { label: 'look', command: `houmao-mgr agents mail list ${name} --box sent --server ${stage.url}` },
  ]);
  expect((await agents('gateway', 'attach', name, ...atServer())).code).toBe(0);
  const again = async () => JSON.parse((await agents(...send, '--idempotency-key', key)).stdout).message;
  expect((await again()).message_ref).toBe((await again()).message_ref);
  expect((await mail('list', name)).messages).toHaveLength(1);
  await agents('gateway', 'detach', name);
  const alone = await agents('mail', 'send', name, ...message, '--idempotency-key', key);
  expect(alone).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--idempotency-key needs a gateway'),
  });
});
