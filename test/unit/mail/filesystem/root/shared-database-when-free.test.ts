import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../../src/foundation/clock.js';
import { deferred } from '../../../../../src/foundation/concurrency.js';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { recoverLeft } from '../../../../../src/mail/filesystem/open-mail-root.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { repairRoot } from '../../../../../src/mail/filesystem/repair/repair.js';
import { restoreStates } from '../../../../../src/mail/filesystem/repair/restore-mailbox.js';
import { addressOf, mailOf, newRoot, registerName, send } from '../../../../support/mail/mail-root.js';

const bob = addressOf('bob');

/** A root whose clock tells when somebody waits, for a lock or for a database. */
async function waitedFor() {
  let waits = deferred<void>();
  let late = 0;
  const clock: Clock = {
    now: systemClock.now,
    monotonic: () => systemClock.monotonic() + late,
    sleep: (ms) => {
      // Not the rest between two uses of a lock.
      if (ms === 10) waits.resolve();
      return systemClock.sleep(ms);
    },
  };
  const root = await newRoot(['alice', 'bob'], clock);
  await send(root, mailOf('alice', ['bob']));
  const waited = async () => {
    await waits.promise;
    waits = deferred<void>();
  };
  const pass = (ms: number) => {
    late += ms;
  };
  return { root, waited, pass };
}

/** Nobody else can read or write a database that is held so. */
function hold(path: string, begin = 'BEGIN EXCLUSIVE'): () => void {
  const database = openDatabase(path);
  database.exec(begin);
  onTestFinished(() => void database.close());
  return () => void database.exec('ROLLBACK');
}

test.each<[string, (root: MailRoot) => Promise<unknown>]>([
  ['the end of a registration', (root) => deregister(root, bob, 'deactivate')],
  ['a repair', (root) => repairRoot(root, { staging: 'leave' })],
])('%s waits for an index that another one holds, also under its locks', async (_, work) => {
  const { root, waited } = await waitedFor();
  const lock = join(root.paths.addressLocks, `${bob}.lock`);
  writeFileSync(lock, `pid=${process.pid} acquired_at_utc=x\n`);
  const working = work(root);
  await waited();
  const release = hold(root.paths.index);
  rmSync(lock);
  await expect.poll(() => existsSync(join(root.paths.locks, 'index.lock'))).toBe(true);
  await waited();
  release();
  await working;
});

test('a recovery waits for an index that another one holds', async () => {
  const { root, waited } = await waitedFor();
  const release = hold(root.paths.index);
  const working = recoverLeft(root, { addresses: [bob], index: true });
  working.catch(() => undefined);
  await waited();
  release();
  await working;
});

test('a repair waits for a mailbox that another one holds', async () => {
  const { root, waited } = await waitedFor();
  const row = root.index.registrations.active(bob)!;
  const release = hold(join(row.mailbox_path, 'mailbox.sqlite'));
  const working = restoreStates(root, row);
  working.catch(() => undefined);
  await waited();
  release();
  expect(await working).toEqual({ kept: 1, added: 0 });
});

test('what fails after the index has a registration is not reported as refused', async () => {
  const { root, waited, pass } = await waitedFor();
  const { mailbox_path } = root.index.registrations.active(bob)!;
  hold(join(mailbox_path, 'mailbox.sqlite'), 'BEGIN IMMEDIATE');
  const working = registerName(root, 'bob', { role: 'reviewer' });
  const failed = expect(working).rejects.toMatchObject({ code: 'state_late' });
  await waited();
  pass(6000);
  await failed;
  expect(root.index.registrations.active(bob)).toMatchObject({ role: 'reviewer' });
});
