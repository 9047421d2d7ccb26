import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../src/foundation/processes.js';
import {
  ownershipRequestOfAnother,
  requestOwnership,
  withdrawOwnershipRequest,
} from '../../../src/turn/turn-ownership.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const runFolder = (): string => {
  const run = join(temporaryFolder(), 'run');
  mkdirSync(run);
  return run;
};

test('a request counts for others as long as the process lives that placed it', async () => {
  const run = runFolder();
  expect(ownershipRequestOfAnother(run)).toBeNull();
  requestOwnership(run);
  // Its own request is no reason to give way.
  expect(ownershipRequestOfAnother(run)).toBeNull();
  const other = spawn('sleep', ['60']);
  const ended = once(other, 'exit');
  writeFileSync(join(run, 'owner-request.json'), JSON.stringify(identify(other.pid ?? 0)));
  expect(ownershipRequestOfAnother(run)).toEqual(identify(other.pid ?? 0));
  // The request of another process is not withdrawn.
  withdrawOwnershipRequest(run);
  expect(ownershipRequestOfAnother(run)).not.toBeNull();
  other.kill('SIGKILL');
  await ended;
  expect(ownershipRequestOfAnother(run)).toBeNull();
});

test('a request that cannot be read is none; withdrawn, it is gone', () => {
  const run = runFolder();
  writeFileSync(join(run, 'owner-request.json'), '{"pid":');
  expect(ownershipRequestOfAnother(run)).toBeNull();
  requestOwnership(run);
  expect(JSON.parse(readFileSync(join(run, 'owner-request.json'), 'utf8'))).toEqual(identify(process.pid));
  withdrawOwnershipRequest(run);
  withdrawOwnershipRequest(run);
  expect(() => readFileSync(join(run, 'owner-request.json'))).toThrow('ENOENT');
});
