import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  mailOf,
  newRoot,
  registerName,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

/** Does something while another process holds the index, which lasts longer than anybody waits. */
async function whileHeld(
  root: MailRoot,
  clock: VirtualClock,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const holder = openDatabase(root.paths.index);
  holder.exec('BEGIN IMMEDIATE');
  const done = work().then(
    () => null,
    (error: unknown) => error,
  );
  const outcome = await clock.passUntil(done, 1000);
  holder.exec('ROLLBACK');
  holder.close();
  return outcome;
}

const force = { mode: 'force', ownerPrincipalId: 'HOUMAO-other' } as const;
const stash = { ...force, mode: 'stash' } as const;

test.each([
  ['force', (root: MailRoot) => registerName(root, 'bob', force)],
  ['stash', (root: MailRoot) => registerName(root, 'bob', stash)],
  ['purge', (root: MailRoot) => deregister(root, addressOf('bob'), 'purge')],
])('%s that cannot be committed puts the mailbox back as it was', async (_, work) => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const root = await newRoot(['alice', 'bob'], clock);
  await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const before = [root.index.registrations.all(), readdirSync(root.paths.mailboxes)];
  expect(await whileHeld(root, clock, () => work(root))).toMatchObject({ code: 'locked' });
  expect([root.index.registrations.all(), readdirSync(root.paths.mailboxes)]).toEqual(before);
  expect(readdirSync(root.paths.staging)).toEqual([]);
  expect(await subjectsOf(root, 'bob')).toEqual(['Plan']);
  checkConsistent(root);
});
