import { expect, test } from 'vitest';
import { RetryLimit } from '../../../../../src/mail/filesystem/root/shared-database.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

test('it ends after five seconds of trying', () => {
  const clock = new VirtualClock('2026-03-13T09:00:00Z');
  const patience = new RetryLimit(clock);
  let waited = 0;
  for (; !patience.isReached(); waited += 10) clock.pass(10);
  expect(waited).toBe(5000);
});

test('a process that was stopped for those five seconds goes on trying', () => {
  const clock = new VirtualClock('2026-03-13T09:00:00Z');
  const patience = new RetryLimit(clock);
  clock.pass(60_000);
  let tries = 1;
  while (!patience.isReached()) tries += 1;
  expect(tries).toBe(100);
});
