import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StateFile } from '../../../../src/gateway/status/state-file.js';
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
  file.close();
  vi.useRealTimers();
  await queue.close();
});

const published = () => JSON.parse(readFileSync(queue.paths.state, 'utf8'));

test('follows a change within a moment', () => {
  file.touch();
  vi.advanceTimersByTime(100);
  expect(published()).toMatchObject({ request_admission: 'open', queue_depth: 0 });
});

test('what its disk refuses is told once, tried again by itself, and told anew after it went well', () => {
  const { state } = queue.paths;
  for (const times of [1, 2]) {
    // No file can take the place of a folder.
    mkdirSync(state, { recursive: true });
    file.touch();
    vi.advanceTimersByTime(100);
    vi.advanceTimersByTime(5000);
    expect(said).toHaveLength(times);
    expect(said.at(-1)).toMatch(
      /state\.json could not be written .*: it follows as soon as its disk takes it$/,
    );
    rmSync(state, { recursive: true });
    vi.advanceTimersByTime(1000);
    expect(published()).toMatchObject({ gateway_health: 'healthy' });
    rmSync(state);
  }
});

test('what somebody else has changed is written anew', () => {
  file.write();
  rmSync(queue.paths.state);
  file.touch();
  vi.advanceTimersByTime(100);
  expect(published()).toMatchObject({ gateway_health: 'healthy' });
});

test('closed, it writes nothing any more, whatever changes', () => {
  file.write();
  const { state, currentInstance } = queue.paths;
  file.touch();
  file.close();
  for (const path of [state, currentInstance]) rmSync(path);
  file.touch();
  vi.advanceTimersByTime(5000);
  expect([state, currentInstance].map((path) => existsSync(path))).toEqual([false, false]);
});
