import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../src/foundation/open-database.js';
import { deliverOnce } from '../../../../src/mail/filesystem/deliver-once.js';
import { moveMail } from '../../../../src/mail/filesystem/mailbox/change-mail.js';
import { canonicalPath } from '../../../../src/mail/filesystem/root/mail-paths.js';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import type { MailMessage } from '../../../../src/mail/message/mail-message.js';
import { toMailRef } from '../../../../src/mail/message/message-id.js';
import type { MessageStamps } from '../../../../src/mail/transport/mail-transport.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  registerName,
  subjectsOf,
} from '../../../support/mail/mail-root.js';
import { refuseRows } from '../../../support/mail/refuse-rows.js';

/** The stamps for which one key of a caller stands. */
function keyOf(message: MailMessage): MessageStamps & { kept: boolean } {
  const at = Date.parse(message.createdAtUtc);
  const stamps = {
    kept: false,
    chosen: async () => ({ messageId: message.messageId, at, again: stamps.kept }),
    keep: async (stamp: { messageId: string; at: number; again: boolean }) => {
      stamps.kept = true;
      return stamp;
    },
  };
  return stamps;
}

async function rootOf(...names: string[]) {
  const root = await newRoot(names);
  const message = mailOf('alice', ['bob', 'carol'], { subject: 'late' });
  const key = keyOf(message);
  return { root, message, key, send: () => deliverOnce(root, key, async () => message) };
}
const names = ['alice', 'bob', 'carol'];

test.each([
  ['a recipient', 'bob'],
  ['the sender', 'alice'],
])(
  'a row of %s that cannot be written: delivered to everybody else, said so, made up for',
  async (_, name) => {
    const { root, message, send } = await rootOf(...names);
    const mend = refuseRows(root.paths.mailboxes, name, 'late');
    const late = { code: 'state_late', deliveredRef: toMailRef(message.messageId) };
    await expect(send()).rejects.toMatchObject(late);
    const boxOf = (one: string) => (one === 'alice' ? 'sent' : 'inbox');
    for (const one of names)
      expect(await subjectsOf(root, one, boxOf(one))).toEqual(one === name ? [] : ['late']);
    await expect(send()).rejects.toMatchObject(late);
    mend();
    expect(await send()).toEqual({ messageId: message.messageId, replayed: true });
    for (const one of names)
      expect((await listOf(root, one, { box: boxOf(one) })).items).toMatchObject([
        { message, state: { box_name: boxOf(one), is_read: one === 'alice' ? 1 : 0, is_archived: 0 } },
      ]);
  },
);

test('a repetition asks nothing of mailboxes that have the message, and does not look refused where one lacks it and is damaged', async () => {
  const { root, message, send } = await rootOf(...names);
  await send();
  rmdirSync(join(root.paths.mailboxes, addressOf('carol'), 'drafts'));
  expect(await send()).toEqual({ messageId: message.messageId, replayed: true });
  root.database(join(root.paths.mailboxes, addressOf('carol'))).states.deleteAll();
  await expect(send()).rejects.toMatchObject({
    code: 'state_late',
    deliveredRef: toMailRef(message.messageId),
    message: expect.stringContaining('drafts: is not a folder'),
  });
});

test('a repetition leaves alone what its recipients did with the message, and does without those that are gone', async () => {
  const { root, message, send } = await rootOf(...names);
  expect(await send()).toEqual({ messageId: message.messageId, replayed: false });
  const bob = { address: addressOf('bob'), principalId: 'HOUMAO-bob' };
  await moveMail(root, bob, [message.messageId], { box: 'later' });
  root.index.database
    .prepare("UPDATE mailbox_registrations SET status = 'inactive' WHERE address LIKE 'carol%'")
    .run();
  expect(await send()).toEqual({ messageId: message.messageId, replayed: true });
  expect(await subjectsOf(root, 'bob', 'later')).toEqual(['late']);
  expect(await subjectsOf(root, 'bob')).toEqual([]);
});

test('a refused message keeps no stamp, and a message that breaks no rule does before it is delivered', async () => {
  const { root, message, key, send } = await rootOf('alice', 'bob');
  const refused = new MailRefusal('subject', 'must not be blank');
  await expect(deliverOnce(root, key, () => Promise.reject(refused))).rejects.toBe(refused);
  expect(key.kept).toBe(false);
  // Carol has no mailbox yet.
  await expect(send()).rejects.toMatchObject({ code: 'not_registered', deliveredRef: null });
  expect(key.kept).toBe(true);
  expect(await subjectsOf(root, 'bob')).toEqual([]);
  await registerName(root, 'carol');
  expect(await send()).toEqual({ messageId: message.messageId, replayed: false });
});

test('the stamp of a faster call is that of both, and is delivered once', async () => {
  const { root, message, key } = await rootOf(...names);
  const slower = mailOf('alice', ['bob', 'carol'], { subject: 'late' });
  const composed: string[] = [];
  const stamps: MessageStamps = {
    chosen: async () => ({ messageId: slower.messageId, at: 0, again: false }),
    keep: async () => ({ messageId: message.messageId, at: 0, again: true }),
  };
  const compose = async ({ messageId }: { messageId: string }) => {
    composed.push(messageId);
    return messageId === message.messageId ? message : slower;
  };
  expect(await deliverOnce(root, stamps, compose)).toEqual({ messageId: message.messageId, replayed: false });
  expect(composed).toEqual([slower.messageId, message.messageId]);
  key.kept = true;
  expect(await deliverOnce(root, key, compose)).toMatchObject({ replayed: true });
  expect(await subjectsOf(root, 'bob')).toEqual(['late']);
});

test('a file in the place of the message is no message that was delivered', async () => {
  const { root, message, send } = await rootOf(...names);
  const path = canonicalPath(root.paths, message);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'not ours');
  await expect(send()).rejects.toMatchObject({ code: 'message_exists', deliveredRef: null });
  expect(await subjectsOf(root, 'bob')).toEqual([]);
});

test('a lock that is not ours any more takes nothing back of what was delivered under it, and is left alone', async () => {
  const { root, message, send } = await rootOf(...names);
  // Bob's database keeps the delivery waiting between its commit and its end.
  const held = openDatabase(join(root.paths.mailboxes, addressOf('bob'), 'mailbox.sqlite'));
  held.exec('BEGIN IMMEDIATE');
  const sent = send().catch((error: unknown) => error);
  await expect.poll(() => root.index.messages.place(message.messageId)).toBeDefined();
  const lock = join(root.paths.locks, 'index.lock');
  rmSync(lock);
  mkdirSync(lock);
  held.exec('COMMIT');
  held.close();
  expect(await sent).toMatchObject({ messageId: message.messageId, replayed: false });
  rmdirSync(lock);
  expect(await subjectsOf(root, 'bob')).toEqual(['late']);
});
