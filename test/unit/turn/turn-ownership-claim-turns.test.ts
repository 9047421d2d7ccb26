import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { claimTurns, TurnOwnership } from '../../../src/turn/turn-ownership.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const wishIn = (run: string): boolean => existsSync(join(run, 'owner-wish.json'));

/** A clock on which each wait is over at once; a test is told of it before. */
function clockOfWaits(told: (ms: number) => void): Clock {
  let passed = 0;
  const sleep = async (ms: number): Promise<void> => {
    told(ms);
    passed += ms;
  };
  return { ...systemClock, monotonic: () => passed, sleep };
}

test('what is free is claimed without a wish', async () => {
  const run = temporaryFolder();
  const ownership = await claimTurns(run, 'houmao-gateway', systemClock);
  expect(ownership).not.toBeNull();
  expect(wishIn(run)).toBe(false);
  ownership?.release();
});

test('an owner that keeps it is not waited for', async () => {
  const run = temporaryFolder();
  const owner = TurnOwnership.take(run, 'houmao-gateway');
  const waits: number[] = [];
  expect(
    await claimTurns(
      run,
      'houmao-gateway',
      clockOfWaits((ms) => waits.push(ms)),
    ),
  ).toBeNull();
  expect(waits).toEqual([]);
  expect(wishIn(run)).toBe(false);
  owner?.release();
});

test('an owner that gives way is told of the wish, which is gone once it is fulfilled', async () => {
  const run = temporaryFolder();
  const owner = TurnOwnership.take(run, 'houmao-server', true);
  const wishes: boolean[] = [];
  const clock = clockOfWaits(() => {
    wishes.push(wishIn(run));
    owner?.release();
  });
  const ownership = await claimTurns(run, 'houmao-gateway', clock);
  expect(ownership).not.toBeNull();
  expect(wishes).toEqual([true]);
  expect(wishIn(run)).toBe(false);
  ownership?.release();
});
