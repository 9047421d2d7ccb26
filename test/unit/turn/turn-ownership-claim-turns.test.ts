import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { claimTurns, TurnOwnership } from '../../../src/turn/turn-ownership.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const requestIn = (run: string): boolean => existsSync(join(run, 'owner-request.json'));

/** A clock on which each wait ends at once, after it was reported to the test. */
function clockOfWaits(reported: (ms: number) => void): Clock {
  let passed = 0;
  const sleep = async (ms: number): Promise<void> => {
    reported(ms);
    passed += ms;
  };
  return { ...systemClock, monotonic: () => passed, sleep };
}

test('a free session is claimed without a request', async () => {
  const run = temporaryFolder();
  const ownership = await claimTurns(run, 'houmao-gateway', systemClock);
  expect(ownership).not.toBeNull();
  expect(requestIn(run)).toBe(false);
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
  expect(requestIn(run)).toBe(false);
  owner?.release();
});

test('an owner that gives way learns of the request, which is gone once it is fulfilled', async () => {
  const run = temporaryFolder();
  const owner = TurnOwnership.take(run, 'houmao-server', true);
  const requests: boolean[] = [];
  const clock = clockOfWaits(() => {
    requests.push(requestIn(run));
    owner?.release();
  });
  const ownership = await claimTurns(run, 'houmao-gateway', clock);
  expect(ownership).not.toBeNull();
  expect(requests).toEqual([true]);
  expect(requestIn(run)).toBe(false);
  ownership?.release();
});
