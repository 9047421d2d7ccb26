import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { UnusableFile } from '../../../../../src/foundation/faults.js';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import { moveMail } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import { asMailFault } from '../../../../../src/mail/filesystem/root/faults.js';
import { MailFault } from '../../../../../src/mail/message/mail-fault.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import { addressOf, mailOf, newRoot, send, subjectsOf } from '../../../../support/mail/mail-root.js';
import { startSender } from '../../../../support/mail/sender-process.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const bob = { address: addressOf('bob'), principalId: 'HOUMAO-bob' };

test.each([
  [{ code: 'ENOSPC', path: '/m/x' }, 'machine', '/m/x: its disk is full'],
  [{ code: 'EROFS' }, 'machine', '/root: its file system is read-only'],
  [
    { code: 'ENOTDIR', syscall: 'lstat', path: '/m/x', message: 'ENOTDIR: not a directory' },
    'machine',
    '/m/x: it is not a folder, or a part of its path is a file',
  ],
  [{ code: 'ENAMETOOLONG', syscall: 'open', message: 'too long' }, 'machine', 'too long'],
  [{ code: 'SQLITE_FULL', message: 'full' }, 'machine', 'disk is full'],
  [{ code: 'SQLITE_IOERR_WRITE', message: 'io' }, 'machine', 'the system refuses it'],
  [{ code: 'SQLITE_BUSY', message: 'busy' }, 'locked', 'another program holds it locked'],
  [
    { code: 'SQLITE_CORRUPT', message: 'malformed' },
    'mailbox_damaged',
    '/root: a database in it is damaged (malformed); houmao-mgr mailbox repair --mailbox-root /root',
  ],
  [new UnusableFile('/m/index.sqlite', 'is missing'), 'mailbox_damaged', '/m/index.sqlite: is missing'],
])('%j is reported as %s', (given, code, words) => {
  const error =
    given instanceof Error ? given : Object.assign(new Error('message' in given ? given.message : ''), given);
  expect(asMailFault(error, '/root')).toMatchObject({ name: 'MailFault', code, cause: error });
  expect((asMailFault(error, '/root') as Error).message).toContain(words);
});

test('what is no fault of disk or database stays what it is', () => {
  for (const error of [new TypeError('ours'), new MailFault('conflict', 'x')])
    expect(asMailFault(error, '/root')).toBe(error);
});

test('a database that another process holds is waited for, then refused; nothing is half done', async () => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const root = await newRoot(['alice', 'bob'], clock);
  const { messageId } = await send(root, mailOf('alice', ['bob'], { subject: 'Before' }));
  const holder = openDatabase(root.paths.index);
  holder.exec('BEGIN IMMEDIATE');
  const attempt = send(root, mailOf('alice', ['bob'], { subject: 'Late' }));
  const failed = expect(attempt).rejects.toMatchObject({ code: 'locked' });
  await clock.passUntil(failed, 50);
  expect(readdirSync(root.paths.staging)).toEqual([]);
  const move = moveMail(root, bob, [messageId], { box: 'later' });
  await new Promise((resolve) => setImmediate(resolve));
  holder.exec('ROLLBACK');
  holder.close();
  await clock.passUntil(move, 50);
  expect([await subjectsOf(root, 'bob'), await subjectsOf(root, 'bob', 'later')]).toEqual([[], ['Before']]);
  checkConsistent(root);
});

const program = fileURLToPath(new URL('../../../../support/mail/mail-on-small-disk.mjs', import.meta.url));

/** Runs the program on a disk of its own, in a mount namespace that needs no root. */
function onSmallDisk(kind: 'full' | 'read-only') {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  const inside = 'mount -t tmpfs -o size=4m,mode=700 none "$1" && exec "$2" "$3" "$1" "$4"';
  const said = execFileSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', inside, 'sh', folder, process.execPath, program, kind],
    { encoding: 'utf8' },
  );
  return JSON.parse(said) as { refused: object[]; during: string[]; staged: string[]; after: string[] };
}

test.each([
  ['full', /disk is full/],
  ['read-only', /read-only/],
] as const)('a disk that is %s takes nothing and loses nothing, and says what it is', (kind, words) => {
  const { refused, ...rest } = onSmallDisk(kind);
  const fault = { name: 'MailFault', code: 'machine', message: expect.stringMatching(words) };
  expect(refused).toEqual([fault, fault, fault]);
  expect(rest).toEqual({
    during: ['Before'],
    staged: [],
    after: ['After', 'Before'],
    defaultedStateCount: 0,
    damaged: [],
  });
});

test('a sender that is killed leaves nothing that keeps the next one waiting', async () => {
  const root = await newRoot(['alice', 'bob']);
  const sender = await startSender(root.paths.root, { from: 'alice', to: ['bob'], count: 500, prefix: 'a' });
  sender.begin();
  await once(sender.process, 'message');
  sender.process.kill('SIGKILL');
  expect(await sender.ended).toBe('SIGKILL');
  await send(root, mailOf('bob', ['alice'], { subject: 'On' }));
  await root.locks.recoverLeft();
  checkConsistent(root);
  expect(await subjectsOf(root, 'alice')).toEqual(['On']);
});
