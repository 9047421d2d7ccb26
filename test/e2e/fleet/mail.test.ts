// Mail from host to host: it waits where it was sent until the other host has it, comes once, and wakes the agent there.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { filesBucket, mailSubject } from '../../../src/fleet/engine/layout.js';
import { attachmentIdOf } from '../../../src/mail/message/message-id.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, knows } from '../../support/fleet/hosts.js';
import { call } from '../../support/http.js';

const limit = { timeout: 240_000 };

/** Two hosts whose agents, `writer` and `reviewer`, have mailboxes; the folder of the first is known to its server. */
async function twoHosts() {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const start = fleetHosts(engine);
  const ws1 = await start('ws1', { agent: 'writer', mail: true });
  const ws2 = await start('ws2', { agent: 'reviewer', mail: true });
  await knows(ws1, 'ws1', 'ws2');
  await knows(ws2, 'ws1', 'ws2');
  await expect.poll(() => hostsIn(ws1)).toEqual(['ws2']);
  await expect.poll(() => hostsIn(ws2)).toEqual(['ws1']);
  return { engine, ws1, ws2 };
}

const mailFolder = ({ session }: FleetHost): string => join(session.folder, 'mail');

/** The hosts to which mail of a host is carried, as its folder says. */
function hostsIn(host: FleetHost): string[] {
  try {
    return JSON.parse(readFileSync(join(mailFolder(host), 'fleet.json'), 'utf8')).hosts;
  } catch {
    return [];
  }
}

const mail = ({ gateway }: FleetHost, operation: string, body: object) =>
  call(gateway.url, 'POST', `/v1/mail/${operation}`, body);

const send = (host: FleetHost, to: string[], subject: string, changes: object = {}) =>
  mail(host, 'send', { to, subject, body_content: 'Is it right?', ...changes });

const about = async (host: FleetHost, box: string, subject: string) =>
  (await mail(host, 'list', { box, include_body: true })).body.messages.filter(
    (message: { subject: string }) => message.subject.endsWith(subject),
  );

const messagesIn = async (connection: NatsConnection, stream: string): Promise<number> =>
  (await (await jetstreamManager(connection)).streams.info(stream)).state.messages;

const waiting = async ({ ask }: FleetHost): Promise<number> =>
  (await ask('GET', '/houmao/fleet')).body.mail_waiting;

const wake = (host: FleetHost) =>
  call(host.gateway.url, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });

test(
  'an agent writes to one of another host, which is woken and answers, and the answer wakes who asked',
  limit,
  async () => {
    const { ws1, ws2 } = await twoHosts();
    await wake(ws1);
    await wake(ws2);
    const file = join(ws1.session.folder, 'patch.bin');
    // Larger than a message of NATS may be where nothing else is set.
    const content = randomBytes(3 * 1024 * 1024);
    writeFileSync(file, content);
    const sent = await send(ws1, ['reviewer@ws2.houmao.localhost'], 'The parser', {
      attachments: [{ path: file }],
      notify_block: { text: 'Before noon, please.' },
    });
    expect(sent).toMatchObject({
      status: 200,
      body: { message: { to: [{ address: 'reviewer@ws2.houmao.localhost' }] } },
    });

    await expect.poll(() => about(ws1, 'archive', 'The parser'), { timeout: 60_000 }).toHaveLength(1);
    const [received] = await about(ws2, 'archive', 'The parser');
    expect(received).toMatchObject({
      message_ref: sent.body.message.message_ref,
      answered: true,
      body_text: sent.body.message.body_text,
      sender: { address: 'writer@ws1.houmao.localhost' },
      to: [{ address: 'reviewer@houmao.localhost', principal_id: 'HOUMAO-reviewer' }],
      notify_block: { text: 'Before noon, please.' },
      attachments: [{ kind: 'managed_copy', size_bytes: content.length }],
    });
    const fetched = await mail(ws2, 'attachment', {
      message_ref: received.message_ref,
      attachment_id: received.attachments[0].attachment_id,
    });
    expect(fetched).toMatchObject({ status: 200, body: { unchanged: true } });
    expect(readFileSync(fetched.body.path).equals(content)).toBe(true);
    expect(await about(ws1, 'archive', 'The parser')).toMatchObject([
      {
        subject: 'Re: The parser',
        thread_ref: sent.body.message.thread_ref,
        sender: { address: 'reviewer@ws2.houmao.localhost' },
        to: [{ address: 'writer@houmao.localhost' }],
      },
    ]);
    await expect.poll(() => waiting(ws1)).toBe(0);
    await expect.poll(() => waiting(ws2)).toBe(0);
  },
);

test(
  'mail waits while its host is away, and while NATS is; what NATS lost is sent again, and nothing comes twice',
  limit,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    await ws2.away('SIGKILL');
    // NATS has this one, and loses it.
    const large = 'x'.repeat(700 * 1024);
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'one', { body_content: large });
    const connection = await engine.connect('ws1', { reconnect: false });
    await expect.poll(() => messagesIn(connection, 'HOUMAO_MAIL')).toBe(1);
    await connection.close();
    await engine.wipe();
    await expect.poll(async () => (await ws1.ask('GET', '/houmao/fleet')).body.state).toBe('offline');
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'two');
    await expect.poll(() => waiting(ws1)).toBe(2);
    await engine.start();
    await ws2.back();

    await expect.poll(() => waiting(ws1), { timeout: 60_000 }).toBe(0);
    expect(await about(ws2, 'inbox', 'one')).toMatchObject([{ body_text: large }]);
    expect(await about(ws2, 'inbox', 'two')).toHaveLength(1);

    // A copy of a letter that was taken: its mailbox has it already.
    const again = await engine.connect('ws1');
    const document = readFileSync(
      join(mailFolder(ws1), 'messages', ...messagePath((await about(ws1, 'sent', 'two'))[0])),
      'utf8',
    );
    const message_id = idOf((await about(ws1, 'sent', 'two'))[0]);
    const letter = { version: 1, kind: 'mail', message_id, document, document_object: null, files: [] };
    await jetstream(again).publish(mailSubject('ws2', 'ws1'), JSON.stringify(letter));
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'three');
    await expect.poll(() => waiting(ws1)).toBe(0);
    expect((await mail(ws2, 'list', { box: 'inbox' })).body.messages).toHaveLength(3);
  },
);

test(
  'files that NATS lost are sent again; one that its sender removed meanwhile is named to the sender',
  limit,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    await ws2.away();
    const file = join(ws1.session.folder, 'report.txt');
    writeFileSync(file, 'All is well.');
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'kept', { attachments: [{ path: file }] });
    const connection = await engine.connect('ws1', { reconnect: false });
    await expect.poll(() => messagesIn(connection, 'HOUMAO_MAIL')).toBe(1);
    await connection.close();
    await engine.kill();
    rmSync(join(engine.folder, 'jetstream', 'HOUMAO', 'streams', 'OBJ_houmao_files'), { recursive: true });
    await expect.poll(async () => (await ws1.ask('GET', '/houmao/fleet')).body.state).toBe('offline');
    const gone = join(ws1.session.folder, 'draft.txt');
    writeFileSync(gone, 'Not yet.');
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'removed', { attachments: [{ path: gone }] });
    rmSync(gone);
    await engine.start();
    await ws2.back();

    await expect.poll(() => waiting(ws1), { timeout: 60_000 }).toBe(0);
    const [{ message_ref, attachments }] = await about(ws2, 'inbox', 'kept');
    const fetched = await mail(ws2, 'attachment', {
      message_ref,
      attachment_id: attachments[0].attachment_id,
    });
    expect(readFileSync(fetched.body.path, 'utf8')).toBe('All is well.');
    expect(await about(ws1, 'inbox', 'Not delivered: removed')).toMatchObject([
      { body_text: expect.stringContaining(gone) },
    ]);
    expect((await mail(ws2, 'list', { box: 'inbox' })).body.messages).toHaveLength(1);
  },
);

const idOf = ({ message_ref }: { message_ref: string }): string => message_ref.slice('filesystem:'.length);
const messagePath = (message: { message_ref: string; created_at_utc: string }): string[] => [
  message.created_at_utc.slice(0, 10),
  `${idOf(message)}.md`,
];

test(
  'a mailbox that does not take mail is named to its sender in a notice, and the others have it',
  limit,
  async () => {
    const { ws1, ws2 } = await twoHosts();
    await send(ws1, ['reviewer@ws2.houmao.localhost', 'nobody@ws2.houmao.localhost'], 'To two');
    await expect.poll(() => about(ws1, 'inbox', 'Not delivered: To two')).toHaveLength(1);
    expect(await about(ws2, 'inbox', 'To two')).toMatchObject([
      { to: [{ address: 'reviewer@houmao.localhost' }] },
    ]);
    const [notice] = await about(ws1, 'inbox', 'Not delivered: To two');
    expect(notice).toMatchObject({
      thread_ref: (await about(ws1, 'sent', 'To two'))[0].thread_ref,
      body_text: expect.stringContaining('nobody@ws2.houmao.localhost'),
    });
    await expect.poll(() => waiting(ws1)).toBe(0);
    const { status, body } = await mail(ws1, 'reply', {
      message_ref: notice.message_ref,
      body_content: 'Why?',
    });
    expect({ status, code: body.detail }).toMatchObject({ status: 422 });
  },
);

test('mail that nothing would carry is refused, and makes no mailbox', limit, async () => {
  const { ws1, ws2 } = await twoHosts();
  const refusal = async (to: string[]) => {
    const { status, headers } = await send(ws1, to, 'Not sent');
    return [status, headers.get('x-houmao-error-code')];
  };
  expect(await refusal(['reviewer@ws9.houmao.localhost'])).toEqual([502, 'mail_refused']);
  expect(await refusal(['reviewer@ws2.houmao.localhost', 'nobody@houmao.localhost'])).toEqual([
    502,
    'mail_refused',
  ]);
  // The name of this host is the way other hosts call its own mailboxes.
  expect((await send(ws1, ['writer@ws1.houmao.localhost'], 'To myself')).body.message.to).toMatchObject([
    { address: 'writer@houmao.localhost' },
  ]);
  await ws1.away();
  expect(await refusal(['reviewer@ws2.houmao.localhost'])).toEqual([502, 'mailbox_failed']);
  await ws1.back();
  expect(await waiting(ws1)).toBe(0);
  expect((await mail(ws2, 'list', { box: 'inbox' })).body.messages).toEqual([]);
  expect(await about(ws1, 'sent', 'Not sent')).toEqual([]);
});

test(
  'a host cannot have the mail of another one archived, or write in the name of a third',
  limit,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    await ws2.away();
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'Mine');
    await expect.poll(() => waiting(ws1)).toBe(1);
    const [sent] = await about(ws1, 'sent', 'Mine');
    const document = readFileSync(join(mailFolder(ws1), 'messages', ...messagePath(sent)), 'utf8');
    const stolen = document
      .replaceAll('reviewer@ws2.', 'writer@ws1.')
      .replaceAll('writer@houmao', 'reviewer@houmao');
    const forged = document
      .replaceAll('reviewer@ws2.', 'writer@ws1.')
      .replaceAll('writer@houmao', 'boss@ws3.houmao')
      .replaceAll(/msg-\d{8}T\d{6}Z-[0-9a-f]{32}/g, `msg-20260313T000000Z-${'0'.repeat(32)}`);
    const connection = await engine.connect('ws2');
    for (const text of [stolen, forged, 'no message at all']) {
      const letter = {
        version: 1,
        kind: 'mail',
        message_id: 'a',
        document: text,
        document_object: null,
        files: [],
      };
      await jetstream(connection).publish(mailSubject('ws1', 'ws2'), JSON.stringify(letter));
    }
    await jetstream(connection).publish(mailSubject('ws1', 'ws2'), '{"version":2,"kind":"parcel"}');
    await ws2.back();
    await expect.poll(() => waiting(ws1)).toBe(0);
    expect(await about(ws2, 'inbox', 'Mine')).toHaveLength(1);
    expect((await mail(ws1, 'list', { box: 'inbox' })).body.messages).toEqual([]);
    await expect(
      jetstream(connection).publish(mailSubject('ws2', 'ws1'), '{}', { timeout: 500, retries: 0 }),
    ).rejects.toThrow();
  },
);

test(
  'mail that one host cannot publish or take now holds up nothing else, and arrives once it can',
  limit,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    const connection = await engine.operate();
    const manager = await jetstreamManager(connection);
    const files = `OBJ_${filesBucket}`;
    const { config } = await manager.streams.info(files);
    await manager.streams.update(files, { ...config, max_bytes: 1000, discard: DiscardPolicy.New });
    const file = join(ws1.session.folder, 'large.txt');
    writeFileSync(file, 'x'.repeat(10_000));
    const attachments = [{ path: file }];
    const { body } = await send(ws1, ['reviewer@ws2.houmao.localhost'], 'large', { attachments });
    await expect.poll(() => ws1.server.stderr()).toContain('max_file_store');
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'small');
    await expect.poll(() => about(ws2, 'inbox', 'small')).toHaveLength(1);
    // Its file cannot be read now.
    renameSync(file, `${file}.away`);
    symlinkSync(file, file);
    await manager.streams.update(files, { ...config, max_bytes: -1 });
    await expect.poll(() => ws1.server.stderr(), { timeout: 60_000 }).toContain('ELOOP');
    renameSync(`${file}.away`, file);
    // Something is in the place of its file.
    const id = attachmentIdOf(idOf(body.message), 0);
    const obstacle = join(mailFolder(ws2), 'attachments', 'managed', id);
    writeFileSync(obstacle, '');
    await expect.poll(() => ws2.server.stderr(), { timeout: 60_000 }).toContain('comes again');
    await send(ws1, ['reviewer@ws2.houmao.localhost'], 'later');
    await expect.poll(() => about(ws2, 'inbox', 'later')).toHaveLength(1);
    rmSync(obstacle);
    await expect.poll(() => about(ws2, 'inbox', 'large'), { timeout: 60_000 }).toHaveLength(1);
    // A file that was taken is not kept at NATS.
    await expect.poll(async () => (await new Objm(connection).open(filesBucket)).list()).toEqual([]);
    for (const host of [ws1, ws2]) expect(host.server.stderr()).not.toContain('offline');
  },
);
