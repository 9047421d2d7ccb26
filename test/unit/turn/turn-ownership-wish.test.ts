import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../src/foundation/processes.js';
import { placeWish, wishOfAnother, withdrawWish } from '../../../src/turn/turn-ownership.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const runFolder = (): string => {
  const run = join(temporaryFolder(), 'run');
  mkdirSync(run);
  return run;
};

test('a wish counts for others as long as the process lives that placed it', async () => {
  const run = runFolder();
  expect(wishOfAnother(run)).toBeNull();
  placeWish(run);
  // Its own wish is no reason to give way.
  expect(wishOfAnother(run)).toBeNull();
  const other = spawn('sleep', ['60']);
  const ended = once(other, 'exit');
  writeFileSync(join(run, 'owner-wish.json'), JSON.stringify(identify(other.pid ?? 0)));
  expect(wishOfAnother(run)).toEqual(identify(other.pid ?? 0));
  // Somebody else's wish is not withdrawn.
  withdrawWish(run);
  expect(wishOfAnother(run)).not.toBeNull();
  other.kill('SIGKILL');
  await ended;
  expect(wishOfAnother(run)).toBeNull();
});

test('a wish that cannot be read is none; withdrawn, it is gone', () => {
  const run = runFolder();
  writeFileSync(join(run, 'owner-wish.json'), '{"pid":');
  expect(wishOfAnother(run)).toBeNull();
  placeWish(run);
  expect(JSON.parse(readFileSync(join(run, 'owner-wish.json'), 'utf8'))).toEqual(identify(process.pid));
  withdrawWish(run);
  withdrawWish(run);
  expect(() => readFileSync(join(run, 'owner-wish.json'))).toThrow('ENOENT');
});
