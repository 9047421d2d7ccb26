import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../src/foundation/processes.js';
import { TurnOwnership, turnOwner } from '../../../src/turn/turn-ownership.js';
import { TurnService, type TurnServiceParts } from '../../../src/turn/turn-service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { makeQueue } from '../../support/test-queue.js';

function taken(folder: string, program: string): TurnOwnership {
  const ownership = TurnOwnership.take(folder, program);
  if (!ownership) throw new Error('somebody has it');
  return ownership;
}

test('one owner at a time, who can be named; given back, it is free and nobody is named', () => {
  const folder = join(temporaryFolder(), 'run');
  const first = taken(folder, 'first');
  expect(TurnOwnership.take(folder, 'second')).toBeNull();
  expect(turnOwner(folder)).toEqual({ ...identify(process.pid), program: 'first' });
  first.release();
  first.release();
  expect(turnOwner(folder)).toBeNull();
  expect(() => first.require()).toThrow('given back');
  const second = taken(folder, 'second');
  expect(() => second.require()).not.toThrow();
  second.release();
});

test('a session owned by nobody, or with an unreadable record, names nobody', () => {
  const folder = temporaryFolder();
  expect(turnOwner(folder)).toBeNull();
  writeFileSync(join(folder, 'owner.json'), '{ half');
  expect(turnOwner(folder)).toBeNull();
  const ownership = taken(folder, 'me');
  expect(JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8')).program).toBe('me');
  ownership.release();
  expect(existsSync(join(folder, 'owner.json'))).toBe(false);
});

test('turns run only with the ownership, and not after it was given back', async () => {
  const queue = await makeQueue();
  const ownership = taken(join(queue.paths.root, 'elsewhere'), 'test');
  const parts: TurnServiceParts = {
    ownership,
    target: queue.target,
    journal: queue.journal,
    table: queue.turnTable,
    slot: queue.slot,
    clock: { now: () => new Date(), monotonic: () => 0, sleep: async () => undefined },
    ended: () => undefined,
    report: () => undefined,
  };
  const { ownership: _ownership, ...without } = parts;
  // @ts-expect-error a caller that forgets it does not compile.
  new TurnService(without);
  const turns = new TurnService(parts);
  ownership.release();
  const companion = { claimed: () => true, ended: () => undefined };
  await expect(turns.begin(queue.order('t1'), companion)).rejects.toThrow('given back');
  expect(queue.slot.free).toBe(true);
  expect(queue.target.started).toEqual([]);
  await queue.close();
});
