import { expect, test } from 'vitest';
import type { SessionMailbox } from '../../../../src/gateway/mail/session-mailbox.js';
import { MailWatch } from '../../../../src/gateway/notifier/inbox.js';
import { FilesystemTransport } from '../../../../src/mail/filesystem/filesystem-transport.js';
import { MailFault } from '../../../../src/mail/message/mail-fault.js';
import { addressOf, mailOf, newRoot, send } from '../../../support/mail/mail-root.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

async function watched() {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const root = await newRoot(['alice', 'bob'], clock);
  const transport = new FilesystemTransport(root, { address: addressOf('bob'), principalId: 'HOUMAO-bob' });
  const seen = {
    changes: 0,
    uses: 0,
    asked: 0,
    wanted: true,
    fault: null as Error | null,
    reports: [] as string[],
  };
  const mailbox: Pick<SessionMailbox, 'use'> = {
    use: async (work) => {
      seen.uses += 1;
      if (seen.fault) throw seen.fault;
      return work({ binding: {} as never, transport });
    },
  };
  const watch = new MailWatch({
    mailbox,
    clock,
    isWanted: () => {
      seen.asked += 1;
      return seen.wanted;
    },
    changed: () => {
      seen.changes += 1;
    },
    report: (fault) => void seen.reports.push(fault),
  });
  return { clock, root, watch, seen, transport };
}

test('tells of each change, and of nothing else, until it is stopped', async () => {
  const { root, watch, seen, clock } = await watched();
  watch.start();
  watch.start();
  // The mail before it is not known.
  await expect.poll(() => [seen.changes, seen.uses]).toEqual([1, 2]);
  await send(root, mailOf('alice', ['bob']));
  await expect.poll(() => seen.changes).toBeGreaterThan(1);
  const { changes } = seen;
  // Each wait is over after five seconds.
  const before = seen.uses;
  clock.pass(5000);
  await expect.poll(() => seen.uses).toBeGreaterThan(before);
  expect(seen.changes).toBe(changes);
  await watch.stop();
  const { uses } = seen;
  watch.start();
  expect(seen.uses).toBe(uses);
});

test('ends when it is not wanted any more, and begins again when it is', async () => {
  const { watch, seen, clock } = await watched();
  watch.start();
  await expect.poll(() => seen.uses).toBe(2);
  const { asked } = seen;
  seen.wanted = false;
  clock.pass(5000);
  await expect.poll(() => seen.asked).toBeGreaterThan(asked);
  expect(seen.uses).toBe(2);
  seen.wanted = true;
  watch.start();
  await expect.poll(() => seen.uses).toBe(3);
  await watch.stop();
});

test('asks once a second for a mailbox that cannot be read; only a defect is reported, and once', async () => {
  const { watch, seen, clock } = await watched();
  seen.fault = new MailFault('locked', 'held');
  watch.start();
  await expect.poll(() => seen.uses).toBe(1);
  clock.pass(999);
  expect(seen.uses).toBe(1);
  seen.fault = new Error('a defect');
  clock.pass(1);
  await expect.poll(() => seen.reports).toEqual(['the mailbox cannot be watched: a defect']);
  const { uses } = seen;
  clock.pass(1000);
  await expect.poll(() => seen.uses).toBe(uses + 1);
  expect(seen.reports).toHaveLength(1);
  seen.fault = null;
  clock.pass(1000);
  await expect.poll(() => seen.changes).toBe(1);
  seen.fault = new Error('a defect');
  clock.pass(5000);
  await expect.poll(() => seen.reports).toHaveLength(2);
  await watch.stop();
});
