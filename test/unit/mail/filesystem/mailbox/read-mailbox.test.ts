import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { updateStates } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import { findMail, mailPages } from '../../../../../src/mail/filesystem/mailbox/read-mailbox.js';
import type { MailMessage } from '../../../../../src/mail/message/mail-message.js';
import { documentOf } from '../../../../support/mail/documents.js';
import { addressOf, listOf, mailOf, newRoot, send, subjectsOf } from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const bob = { address: addressOf('bob'), principalId: 'HOUMAO-bob' };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

async function rootWith(count: number) {
  const root = await newRoot(['alice', 'bob']);
  const sent = [];
  for (let n = 0; n < count; n += 1)
    sent.push(await send(root, mailOf('alice', ['bob'], { subject: `m${n}` }, at(n))));
  return { root, sent };
}

test('the newest come first, as many as asked for, and filters come before the limit', async () => {
  const { root, sent } = await rootWith(5);
  await updateStates(root, bob, [sent[4]!.messageId, sent[1]!.messageId], { read: true, answered: true });
  const found = async (filter: object, limit: number | null = null) =>
    (await listOf(root, 'bob', filter, limit)).items.map(({ message }) => message.subject);
  expect(await found({})).toEqual(['m4', 'm3', 'm2', 'm1', 'm0']);
  expect(await found({}, 2)).toEqual(['m4', 'm3']);
  expect(await found({ read: false }, 2)).toEqual(['m3', 'm2']);
  expect(await found({ read: true })).toEqual(['m4', 'm1']);
  expect(await found({ answered: false }, 1)).toEqual(['m3']);
  expect(await found({ archived: true })).toEqual([]);
  expect(await found({ archived: false, since: '2026-01-01T00:00:03Z' })).toEqual(['m4', 'm3']);
  expect(await found({ box: 'nowhere' })).toEqual([]);
});

test('pages follow each other without a gap, and none is read before it is asked for', async () => {
  const { root, sent } = await rootWith(52);
  const filter = { box: 'inbox', read: null, answered: null, archived: null, since: null };
  const extent = { limit: null, oldestFirst: true };
  const pages = mailPages(root, bob, filter, extent);
  const subjects = async () =>
    (await pages.next()).value?.items.map(({ message }: { message: MailMessage }) => message.subject);
  expect(await subjects()).toEqual(sent.slice(0, 50).map(({ subject }) => subject));
  await send(root, mailOf('alice', ['bob'], { subject: 'meanwhile' }, at(59)));
  expect(await subjects()).toEqual(['m50', 'm51', 'meanwhile']);
  expect(await subjects()).toBeUndefined();
});

test('messages of one second are in the order of their ids', async () => {
  const root = await newRoot(['alice', 'bob']);
  for (let n = 0; n < 4; n += 1) await send(root, mailOf('alice', ['bob'], {}, at(0)));
  const ids = (await listOf(root, 'bob')).items.map(({ message }) => message.messageId);
  expect(ids).toEqual([...ids].sort().reverse());
});

test.each([
  ['is no message', (path: string) => writeFileSync(path, 'garbage'), /front_matter/],
  [
    'breaks a rule',
    (path: string) => writeFileSync(path, documentOf({ subject: '12' })),
    /subject: must be a string/,
  ],
  ['is not UTF-8', (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe])), /UTF-8/],
  ['is gone', (path: string) => rmSync(path), /missing/],
  ['is another message', (path: string) => writeFileSync(path, documentOf({})), /belongs elsewhere/],
  ['is a link', (path: string) => replaceByLink(path), /regular file/],
])(
  'a message whose file %s is reported with its path, left out, and left as it is',
  async (_, spoil, reason) => {
    const { root, sent } = await rootWith(3);
    const { canonical_path: path } = root.index.messages.place(sent[1]!.messageId)!;
    spoil(path);
    const after = contentOf(path);
    const { items, damaged } = await listOf(root, 'bob', {}, 2);
    expect(items.map(({ message }) => message.subject)).toEqual(['m2', 'm0']);
    expect(damaged).toEqual([{ messageId: sent[1]!.messageId, reason: expect.stringMatching(reason) }]);
    expect(damaged[0]?.reason).toContain(path);
    await expect(findMail(root, bob, sent[1]!.messageId)).rejects.toThrow(
      expect.objectContaining({ code: 'message_damaged' }),
    );
    await send(root, mailOf('alice', ['bob'], { subject: 'm3' }, at(9)));
    expect(await subjectsOf(root, 'bob')).toEqual(['m3', 'm2', 'm0']);
    expect(contentOf(path)).toEqual(after);
  },
);

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function replaceByLink(path: string): void {
  rmSync(path);
  symlinkSync('/etc/passwd', path);
}

test('a path of the index that leads out of the messages is not read', async () => {
  const { root, sent } = await rootWith(1);
  for (const path of [
    '/etc/passwd',
    `${root.paths.messages}/../index.sqlite`,
    `${root.paths.messages}/2026-01-01/../../x/y.md`,
  ]) {
    root.index.messages.setPath(sent[0]!.messageId, path);
    expect(await listOf(root, 'bob')).toMatchObject({
      items: [],
      damaged: [{ messageId: sent[0]!.messageId }],
    });
  }
});

test('one message is found in its mailbox, and in its box', async () => {
  const { root, sent } = await rootWith(1);
  const id = sent[0]!.messageId;
  expect(await findMail(root, bob, id, 'inbox')).toMatchObject({
    message: { subject: 'm0' },
    state: { is_read: 0 },
  });
  await expect(findMail(root, bob, id, 'archive')).rejects.toThrow(
    expect.objectContaining({ code: 'box_differs' }),
  );
  const operator = { address: 'HOUMAO-operator@houmao.localhost', principalId: null };
  await expect(findMail(root, operator, id)).rejects.toThrow(
    expect.objectContaining({ code: 'message_unknown' }),
  );
  await expect(findMail(root, { ...bob, principalId: 'HOUMAO-eve' }, id)).rejects.toThrow(
    expect.objectContaining({ code: 'owner_differs' }),
  );
  await expect(findMail(root, { address: addressOf('eve'), principalId: null }, id)).rejects.toThrow(
    expect.objectContaining({ code: 'not_registered' }),
  );
});

test('a day’s folder that is a link is neither read nor written through', async () => {
  const { root, sent } = await rootWith(1);
  const day = dirname(root.index.messages.place(sent[0]!.messageId)!.canonical_path);
  const outside = join(temporaryFolder(), 'outside');
  cpSync(day, outside, { recursive: true });
  rmSync(day, { recursive: true });
  symlinkSync(outside, day);
  expect(await listOf(root, 'bob')).toMatchObject({
    items: [],
    damaged: [{ reason: `${day}: is not a folder` }],
  });
  await expect(send(root, mailOf('alice', ['bob'], {}, at(1)))).rejects.toMatchObject({
    code: 'root_unusable',
  });
  expect(readdirSync(outside)).toHaveLength(1);
});
