import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { MailboxWatch } from '../../../../../src/mail/filesystem/mailbox/read-mailbox.js';
import { addressOf, mailOf, newRoot, openRoot, send } from '../../../../support/mail/mail-root.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const never = new AbortController().signal;
let clock: VirtualClock;
let root: MailRoot;
let watch: MailboxWatch;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  root = await newRoot(['alice', 'bob', 'carol']);
  const path = root.index.registrations.active(addressOf('bob'))?.mailbox_path ?? '';
  watch = new MailboxWatch(path, root.database(path).database, clock);
  // The mail before the first call is not known.
  expect(await watch.change(never, 0)).toBe(true);
});
afterEach(() => watch.close());

test('a message wakes, whichever process delivers it, and once', async () => {
  for (const deliverer of [root, openRoot(root.paths.root)]) {
    const change = watch.change(never, 60_000);
    await send(deliverer, mailOf('alice', ['bob']));
    expect(await change).toBe(true);
    expect(await watch.change(never, 0)).toBe(false);
  }
});

test('a change between two calls is not lost', async () => {
  await send(openRoot(root.paths.root), mailOf('alice', ['bob']));
  expect(await watch.change(never, 0)).toBe(true);
});

test('mail for others does not wake, and a call ends after the time that it was given', async () => {
  let over = false;
  const change = watch.change(never, 3000).then((isNew) => {
    over = true;
    return isNew;
  });
  await send(root, mailOf('alice', ['carol']));
  for (let second = 1; second <= 3; second += 1) {
    expect(over).toBe(false);
    clock.pass(1000);
    await new Promise(setImmediate);
  }
  expect(await change).toBe(false);
});

test('a signal ends a call at once', async () => {
  const enough = new AbortController();
  const change = watch.change(enough.signal, 60_000);
  enough.abort();
  expect(await change).toBe(false);
});
