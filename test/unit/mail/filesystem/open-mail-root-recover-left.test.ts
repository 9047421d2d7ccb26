import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { moveMail } from '../../../../src/mail/filesystem/mailbox/change-mail.js';
import { stage } from '../../../../src/mail/filesystem/mailbox/deliver.js';
import {
  indexMessage,
  partiesOf,
  projectionsOf,
} from '../../../../src/mail/filesystem/mailbox/delivery-records.js';
import type { MailRoot } from '../../../../src/mail/filesystem/mailbox/mail-root.js';
import { recoverLeft } from '../../../../src/mail/filesystem/open-mail-root.js';
import { canonicalPath, projectionPath } from '../../../../src/mail/filesystem/root/mail-paths.js';
import { renderDocument } from '../../../../src/mail/message/document.js';
import type { MailMessage } from '../../../../src/mail/message/mail-message.js';
import { checkConsistent } from '../../../support/mail/check-root.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  openRoot,
  registerName,
  send,
  subjectsOf,
} from '../../../support/mail/mail-root.js';

const left = { addresses: ['alice', 'bob', 'carol'].map(addressOf), index: true };

/** Does the first steps of a delivery, as a process does that ends then. */
function begin(
  root: MailRoot,
  message: MailMessage,
  steps: { links: number; index: boolean; states: number },
): void {
  const path = canonicalPath(root.paths, message);
  const document = renderDocument(message);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(stage(root.paths, document), path);
  const parties = partiesOf(root, message);
  const projections = projectionsOf(message.messageId, parties);
  for (const { projection_path: link } of projections.slice(0, steps.links)) symlinkSync(path, link);
  if (!steps.index) return;
  root.index.database.transact(() => indexMessage(root, message, { document, path, parties, projections }));
}

test.each([
  ['its file stands in its place', { links: 0, index: false, states: 0 }],
  ['some links are made', { links: 2, index: false, states: 0 }],
  ['all links are made', { links: 3, index: false, states: 0 }],
  ['the index has it', { links: 3, index: true, states: 0 }],
])('a delivery that ended when %s comes to its end', async (_, steps) => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Before' }));
  begin(root, mailOf('alice', ['bob', 'carol'], { subject: 'Plan' }), steps);
  await recoverLeft(root, left);
  checkConsistent(root);
  expect([(await subjectsOf(root, 'bob')).sort(), await subjectsOf(root, 'carol')]).toEqual([
    ['Before', 'Plan'],
    ['Plan'],
  ]);
  expect((await listOf(root, 'carol')).items[0]?.state.is_read).toBe(0);
  expect((await subjectsOf(root, 'alice', 'sent')).sort()).toEqual(['Before', 'Plan']);
});

test('only what the ended process had locks for is finished', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  begin(root, mailOf('alice', ['bob', 'carol']), { links: 0, index: false, states: 0 });
  await recoverLeft(root, { addresses: [addressOf('alice'), addressOf('bob')], index: true });
  await recoverLeft(root, { ...left, index: false });
  expect(root.index.messages.ids()).toEqual([]);
});

test('a damaged file is left to a repair, and does not keep the locks', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const message = mailOf('alice', ['bob']);
  const path = canonicalPath(root.paths, message);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(stage(root.paths, 'garbage'), path);
  await recoverLeft(root, left);
  expect([existsSync(path), root.index.messages.ids()]).toEqual([true, []]);
});

test('a move that ended before the index had it is undone, one that it has is finished; flags stay', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const first = await send(root, mailOf('alice', ['bob'], { subject: 'first' }));
  const second = await send(root, mailOf('alice', ['bob'], { subject: 'second' }));
  const mailbox = join(root.paths.mailboxes, addressOf('bob'));
  const { states, database } = root.database(mailbox);
  const before = new Map(states.all().map((row) => [row.message_id, { ...row, is_starred: 1 as const }]));
  await moveMail(root, { address: addressOf('bob'), principalId: null }, [second.messageId], {
    box: 'archive',
  });
  database.transact(() => states.put(before.get(second.messageId)!));
  symlinkSync(canonicalPath(root.paths, second), projectionPath(mailbox, 'inbox', second.messageId));
  symlinkSync(canonicalPath(root.paths, first), projectionPath(mailbox, 'archive', first.messageId));
  await recoverLeft(root, left);
  checkConsistent(root);
  expect([await subjectsOf(root, 'bob'), await subjectsOf(root, 'bob', 'archive')]).toEqual([
    ['first'],
    ['second'],
  ]);
  expect(states.get(second.messageId)).toMatchObject({ is_archived: 1, is_read: 1, is_starred: 1 });
});

test.each([
  ['before the index had the new one comes back', false],
  ['after the index had the new one is gone', true],
])('a mailbox that was moved away %s', async (_, committed) => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const old = root.index.registrations.active(addressOf('bob'))!;
  const waiting = join(root.paths.staging, `displaced-${old.registration_id}`);
  if (committed) {
    await registerName(root, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-other' });
    mkdirSync(waiting);
  } else {
    renameSync(old.mailbox_path, waiting);
    mkdirSync(join(old.mailbox_path, 'inbox'), { recursive: true });
  }
  await recoverLeft(root, left);
  expect(readdirSync(root.paths.staging)).toEqual([]);
  expect(await subjectsOf(root, 'bob')).toEqual(committed ? [] : ['Plan']);
});

const program = fileURLToPath(new URL('../../../support/mail/mail-worker.mjs', import.meta.url));

interface Said {
  delivered?: string;
  subject?: string;
  /** In which boxes messages are from here on: until a move is over, the old one or the new one. */
  moving?: { ids: string[]; boxes: string[] };
}

/** Lets a process work until it is killed at some moment. @returns what it said that it delivered and was about to. */
async function killedWorker(root: string, own: string, ops: readonly string[], lifetime: number) {
  const child = fork(program, [root, 'alice,bob,carol', own], { execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const delivered: string[] = [];
  const begun: string[] = [];
  /** Where messages of its own mailbox are, by what it said last; the last move need not have come to its end. */
  const boxes = new Map<string, string[]>();
  const first = new Promise<void>((resolve) => {
    child.on('message', (message: Said) => {
      for (const id of message.moving?.ids ?? []) boxes.set(id, message.moving?.boxes ?? []);
      if (message.delivered !== undefined) delivered.push(message.delivered);
      if (message.subject !== undefined) begun.push(message.subject);
      resolve();
    });
  });
  child.send({ ops });
  await first;
  await new Promise((resolve) => setTimeout(resolve, lifetime));
  const code = child.exitCode;
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(code).toBeNull();
  return { delivered, begun, own, boxes };
}

/** The torture's number of rounds is its own; a handful shows that the way is open. */
const rounds = Number(process.env.HOUMAO_MAIL_KILLS ?? 5);

test('whenever processes are killed, no message is lost, doubled or half visible', async () => {
  const first = await newRoot(['alice', 'bob', 'carol']);
  const delivered = new Set<string>();
  const begun = new Set<string>();
  let moved = 0;
  // On a slow machine some die before they have done anything.
  for (let round = 0; round < rounds || delivered.size === 0 || moved === 0; round += 1) {
    const both = await Promise.all(
      (
        [
          ['alice', ['send', 'send', 'move', 'mark']],
          ['bob', ['send', 'move', 'register', 'repair']],
        ] as const
      ).map(([own, ops]) =>
        // At any moment: that it is another one each time is what the rounds are for.
        killedWorker(first.paths.root, own, ops, Math.random() * 400),
      ),
    );
    for (const worker of both) {
      for (const subject of worker.delivered) delivered.add(subject);
      for (const subject of worker.begun) begun.add(subject);
    }
    const root = openRoot(first.paths.root);
    await root.locks.recoverLeft();
    checkConsistent(root, [addressOf('extra')]);
    for (const { own, boxes } of both) {
      const { states } = root.database(join(root.paths.mailboxes, addressOf(own)));
      for (const [id, possible] of boxes) expect(possible).toContain(states.get(id)?.box_name);
      moved += boxes.size;
    }
    const files = root.index.messages.ids().map((id) => root.index.messages.place(id)?.subject ?? '');
    expect(new Set(files).size).toBe(files.length);
    for (const subject of delivered) expect(files).toContain(subject);
    for (const subject of files) expect(begun).toContain(subject);
    await send(root, mailOf('alice', ['bob'], { subject: `round ${round}` }));
    begun.add(`round ${round}`);
    root.close();
  }
});
