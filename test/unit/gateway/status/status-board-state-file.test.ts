import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StateFile } from '../../../../src/gateway/status/status-board.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
let file: StateFile;
let said: string[];
beforeEach(async () => {
  queue = await makeQueue();
  said = [];
  file = new StateFile(queue.paths, queue.board, (line) => void said.push(line));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  await file.close();
  vi.useRealTimers();
  await queue.close();
});

const published = () => JSON.parse(readFileSync(queue.paths.state, 'utf8'));
/** Lets the faked time pass until `check` holds; the disk works in real time. */
const eventually = (check: () => void) => vi.waitFor(check, 20_000);

test('follows a change within 100 ms', async () => {
  file.touch();
  vi.advanceTimersByTime(100);
  // A write that is begun by then is finished, and no other is begun.
  await file.close();
  expect(published()).toMatchObject({ request_admission: 'open', queue_depth: 0 });
});

test('a change during a write is written after it', async () => {
  file.touch();
  vi.advanceTimersByTime(100);
  await queue.prompt('one');
  file.touch();
  await eventually(() => expect(published()).toMatchObject({ queue_depth: 1 }));
});

test('a write that is asked for during another one begins after it, and stands', async () => {
  const looks = vi.spyOn(queue.board, 'status');
  const first = file.write();
  await queue.prompt('one');
  const second = file.write();
  // The status for the second write is not looked at before its turn has come.
  expect(looks).toHaveBeenCalledTimes(1);
  await Promise.all([first, second]);
  expect(looks).toHaveBeenCalledTimes(2);
  expect(published()).toMatchObject({ queue_depth: 1 });
});

test('a refusal of the disk is reported once, tried again by itself, and reported again after a success', async () => {
  const { state } = queue.paths;
  const looks = vi.spyOn(queue.board, 'status');
  for (const times of [1, 2]) {
    looks.mockClear();
    // No file can take the place of a folder.
    mkdirSync(state, { recursive: true });
    file.touch();
    await eventually(() => expect(looks.mock.calls.length).toBeGreaterThan(3));
    expect(said).toHaveLength(times);
    expect(said.at(-1)).toMatch(
      /state\.json could not be written .*: it is written as soon as the disk allows$/,
    );
    rmSync(state, { recursive: true });
    await eventually(() => expect(published()).toMatchObject({ gateway_health: 'healthy' }));
    rmSync(state);
  }
  expect(readdirSync(dirname(state)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a file that another program has changed is written again', async () => {
  await file.write();
  rmSync(queue.paths.state);
  file.touch();
  await eventually(() => expect(published()).toMatchObject({ gateway_health: 'healthy' }));
});

test('closed, it writes nothing any more, whatever changes', async () => {
  await file.write();
  const { state, currentInstance } = queue.paths;
  file.touch();
  vi.advanceTimersByTime(100);
  await file.close();
  for (const path of [state, currentInstance]) rmSync(path);
  file.touch();
  expect(vi.getTimerCount()).toBe(0);
  expect([state, currentInstance].map((path) => existsSync(path))).toEqual([false, false]);
});
