import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { TurnRecorder } from '../../../src/turn/turn-recorder.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const recorder = (delivered: (atUtc: string) => void = () => undefined) =>
  new TurnRecorder(
    { journal: queue.journal, table: queue.turnTable, clock: systemClock, report: () => undefined },
    { turnId: 't1', requestId: null },
    { delivery: 'claimed', processes: [] },
    { countsWhen: 'confirmed', delivered },
  );

test('a prompt that was confirmed counts as delivered although its turn was left before that was on disk', async () => {
  const written: string[] = [];
  const one = recorder((atUtc) => written.push(atUtc));
  one.confirmed('a row');
  const left = one.leave();
  expect(await one.delivered).toBe(true);
  expect(written).toHaveLength(1);
  await left;
});

test('one that nobody confirmed does not', async () => {
  const one = recorder();
  one.handedOver('Enter pressed');
  await one.leave();
  expect(await one.delivered).toBe('left');
});
