import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { claimTurns } from '../../../src/turn/claim-turns.js';
import { TurnOwnership } from '../../../src/turn/turn-ownership.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const wishIn = (run: string): boolean => existsSync(join(run, 'owner-wish.json'));

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
  const began = performance.now();
  expect(await claimTurns(run, 'houmao-gateway', systemClock)).toBeNull();
  expect(performance.now() - began).toBeLessThan(2000);
  expect(wishIn(run)).toBe(false);
  owner?.release();
});

test('an owner that gives way is told of the wish, which is gone once it is fulfilled', async () => {
  const run = temporaryFolder();
  const owner = TurnOwnership.take(run, 'houmao-server', true);
  const claimed = claimTurns(run, 'houmao-gateway', systemClock);
  await expect.poll(() => wishIn(run)).toBe(true);
  owner?.release();
  const ownership = await claimed;
  expect(ownership).not.toBeNull();
  expect(wishIn(run)).toBe(false);
  ownership?.release();
});
