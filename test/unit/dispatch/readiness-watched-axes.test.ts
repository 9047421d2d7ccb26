import { expect, test } from 'vitest';
import { WatchedAxes } from '../../../src/dispatch/readiness.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { ExecutionSlot } from '../../../src/turn/live-turn.js';
import { FakeTarget } from '../../support/fake-target.js';

/** Axes on a clock that stands still, with the number of inspections so far. */
function watchedAxes(inspected: () => Promise<void> = async () => undefined) {
  const target = new FakeTarget();
  const clock = { milliseconds: 0 };
  let inspections = 0;
  const axes = new WatchedAxes({
    target: {
      inspect: async () => {
        inspections += 1;
        return target.inspection;
      },
    },
    slot: new ExecutionSlot(() => undefined),
    storage: { fault: null, look: () => undefined },
    clock: {
      now: () => new Date(clock.milliseconds),
      monotonic: () => clock.milliseconds,
      sleep: async () => undefined,
    },
    own: () => ({ needsReconciliation: false, epoch: 7, paused: true, queueDepth: 2 }),
    inspected,
  });
  return { axes, clock, target, inspections: () => inspections };
}

test('an agent that was never inspected counts as not connected, beside what its owner knows', () => {
  const now = watchedAxes().axes.now();
  expect(now).toMatchObject({ epoch: 7, paused: true, queueDepth: 2, slotFree: true, storageFault: null });
  expect(now.agent.connected).toBe(false);
});

test('an inspection is used again for less than a second, and a fresh one is made when asked for', async () => {
  const { axes, clock, target, inspections } = watchedAxes();
  expect((await axes.current()).agent).toEqual(target.inspection);
  clock.milliseconds = 999;
  await axes.current();
  expect(inspections()).toBe(1);
  clock.milliseconds = 1000;
  await axes.current();
  expect(inspections()).toBe(2);
  await axes.observe();
  expect(inspections()).toBe(3);
});

test('callers share one inspection, and go on after its owner has noted it', async () => {
  const noted = deferred<void>();
  const { axes, inspections } = watchedAxes(() => noted.promise);
  let over = 0;
  const both = [axes.observe(), axes.current()].map((each) => each.then(() => over++));
  await new Promise((resolve) => setImmediate(resolve));
  expect([over, inspections()]).toEqual([0, 1]);
  noted.resolve();
  await Promise.all(both);
  expect([over, inspections()]).toEqual([2, 1]);
});
