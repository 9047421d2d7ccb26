import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { behindServer } from '../support/behind-server.js';
import { temporaryRoot } from './temporary-root.js';

const root = temporaryRoot();

describe('the mailbox of an agent, through the server', () => {
  const behind = behindServer({
    launch: { name: 'alice', mailbox: { root, address: null, principalId: null } },
  });
  const address = 'alice@houmao.localhost';
  /** Paths of files are shown to those who may read them: `ask` of the other tests would refuse them. */
  const mail = (operation: string, body?: unknown, headers?: Record<string, string>) =>
    call(
      behind.server.url,
      body === undefined ? 'GET' : 'POST',
      `/houmao/agents/alice/mail/${operation}`,
      body,
      headers,
    );
  const toMyself = (subject: string) => ({ to: [address], subject, body_content: 'hello' });
  const refOf = async (subject: string): Promise<string> =>
    (await mail('send', toMyself(subject))).body.message.message_ref;

  test('status and where it lies', async () => {
    const status = await mail('status');
    expect(status).toMatchObject({ status: 200, body: { transport: 'filesystem', address } });
    const { status: code, body } = await mail('resolve-live');
    expect(code).toBe(200);
    const { bindings_version, principal_id } = status.body;
    expect(body).toMatchObject({
      source: 'manifest_binding',
      transport: 'filesystem',
      principal_id,
      address,
      bindings_version,
      mailbox: {
        filesystem: {
          root,
          mailbox_kind: 'in_root',
          sqlite_path: join(root, 'index.sqlite'),
          inbox_path: join(root, 'mailboxes', address, 'inbox'),
        },
      },
      gateway: { source: 'current_instance_record', port: behind.gateway?.port, protocol_version: 'v1' },
    });
  });

  test('what is sent under one key is delivered once', async () => {
    const key = { 'Idempotency-Key': 'mail-once' };
    const first = await mail('send', toMyself('once'), key);
    expect(first).toMatchObject({ status: 200, body: { operation: 'send' } });
    const again = await mail('send', toMyself('once'), key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.message.message_ref).toBe(first.body.message.message_ref);
  });

  test('a message is listed, peeked at, read, answered, marked, moved and archived', async () => {
    const message_ref = await refOf('the round');
    const listed = await mail('list', { read_state: 'unread' });
    expect(listed.body.messages.map((one: { subject: string }) => one.subject)).toContain('the round');
    expect((await mail('peek', { message_ref })).body).toMatchObject({ message: { unread: true } });
    expect((await mail('read', { message_ref })).body).toMatchObject({ message: { read: true } });
    const answer = await mail('reply', { message_ref, body_content: 'yes' });
    expect(answer.body).toMatchObject({ operation: 'reply', message: { subject: 'Re: the round' } });
    const marked = await mail('mark', { message_refs: [message_ref], read: false });
    expect(marked.body.messages[0]).toMatchObject({ read: false, answered: true });
    const moved = await mail('move', { message_refs: [message_ref], destination_box: 'kept' });
    expect(moved.body.messages[0].box).toBe('kept');
    expect((await mail('archive', { message_refs: [message_ref] })).body.messages[0].archived).toBe(true);
    expect((await mail('post', { subject: 'a note', body_content: 'x' })).body.operation).toBe('post');
  });

  test('a file that came with a message is fetched', async () => {
    const file = join(root, 'notes.txt');
    writeFileSync(file, 'some notes');
    const sent = await mail('send', { ...toMyself('with a file'), attachments: [{ path: file }] });
    const { message_ref, attachments } = sent.body.message;
    const { attachment_id } = attachments[0];
    const fetched = await mail('attachment', { message_ref, attachment_id });
    expect(fetched).toMatchObject({ status: 200, body: { path: file, size_bytes: 10, unchanged: true } });
    expect((await mail('attachment', { message_ref, attachment_id: 'none' })).status).toBe(502);
  });

  test('a check lists the inbox, and the state of a message is set to read', async () => {
    const message_ref = await refOf('to be checked');
    const checked = await mail('check', { unread_only: true });
    const { messages, ...counts } = checked.body;
    expect(counts).toEqual({
      schema_version: 1,
      transport: 'filesystem',
      principal_id: 'HOUMAO-alice',
      address,
      unread_only: true,
      message_count: messages.length,
      unread_count: messages.length,
    });
    expect(messages[0]).toMatchObject({ message_ref, unread: true, body_text: null });
    expect((await mail('check', { limit: 1 })).body).toMatchObject({ unread_only: false, message_count: 1 });
    expect((await mail('check', { since: '2999-01-01' })).body.message_count).toBe(0);
    expect((await mail('state', { message_ref, read: true })).body).toEqual({
      schema_version: 1,
      transport: 'filesystem',
      principal_id: 'HOUMAO-alice',
      address,
      message_ref,
      read: true,
    });
    const unread = await mail('check', { unread_only: true });
    expect(unread.body.messages.map((one: { message_ref: string }) => one.message_ref)).not.toContain(
      message_ref,
    );
  });

  test.each([
    ['check', { since: 'yesterday' }, ['body', 'since']],
    ['check', { limit: 0 }, ['body', 'limit']],
    ['state', { message_ref: 'x', read: false }, ['body', 'read']],
    ['state', { message_ref: 'x' }, ['body', 'read']],
    ['send', { to: [], subject: 'x', body_content: '' }, ['body', 'to']],
  ])('%s refuses %j', async (operation, body, loc) => {
    expect(await mail(operation, body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
  });

  test('what the mailbox refuses is its 502', async () => {
    const message_ref = 'filesystem:msg-20260101T000000Z-00000000000000000000000000000000';
    for (const operation of ['peek', 'read'])
      expect((await mail(operation, { message_ref })).status).toBe(502);
    expect((await mail('state', { message_ref, read: true })).status).toBe(502);
    expect((await mail('send', { ...toMyself('x'), to: ['nobody@houmao.localhost'] })).status).toBe(502);
  });

  test('the notifier keeps the settings that a later call leaves out', async () => {
    const set = (body: object) => behind.agent('PUT', '/gateway/mail-notifier', body);
    await set({ interval_seconds: 3600, appendix_text: 'mind the loop', mode: 'unread_only' });
    const { body } = await set({ interval_seconds: 1800 });
    expect(body).toMatchObject({ interval_seconds: 1800, appendix_text: 'mind the loop', mode: 'any_inbox' });
    expect((await behind.agent('DELETE', '/gateway/mail-notifier')).body.enabled).toBe(false);
  });
});

describe('an agent with a mailbox and without a gateway', () => {
  const behind = behindServer({
    launch: { name: 'bob', mailbox: { root, address: null, principalId: null } },
    gateway: false,
  });

  test('its mailbox is there, and nobody to serve it', async () => {
    const listed = await behind.agent('POST', '/mail/list', {});
    expect(listed).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('no live gateway') },
    });
    const live = await call(behind.server.url, 'GET', '/houmao/agents/bob/mail/resolve-live');
    expect(live).toMatchObject({ status: 200, body: { address: 'bob@houmao.localhost', gateway: null } });
  });
});

describe('an agent whose manifest was damaged', () => {
  const behind = behindServer({ gateway: false });
  beforeAll(() => writeFileSync(behind.session.paths.manifest, '{}'));

  test('neither its mail nor its gateway can be reported, and no path either', async () => {
    const unreadable = { status: 503, body: { detail: 'The session manifest cannot be read.' } };
    expect(await behind.agent('GET', '/mail/status')).toMatchObject(unreadable);
    expect(await behind.agent('GET', '/mail/resolve-live')).toMatchObject(unreadable);
    expect(await behind.agent('GET', '/gateway')).toMatchObject(unreadable);
  });
});
