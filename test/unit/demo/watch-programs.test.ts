import { expect, test } from 'vitest';
import { type WatchedProgram, watchedProcess, watchPrograms } from '../../../src/demo/watch-programs.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** Programs that end when the test says so, and what was told of them. */
function stage(names: string[]) {
  const clock = new VirtualClock('2026-03-13T08:00:00Z');
  const ended = new Set<string>();
  const told: string[] = [];
  const stop = new AbortController();
  const programs = names.map(
    (name): WatchedProgram => ({ name, why: '', hasEnded: async () => ended.has(name) }),
  );
  const watching = watchPrograms(programs, {
    clock,
    tell: ({ name }) => told.push(name),
    enough: stop.signal,
  });
  return { clock, ended, told, stop, watching };
}

test('each that ends is told of once; with the last one the watching is over', async () => {
  const { clock, ended, told, watching } = stage(['one', 'two']);
  const toldAfterASecond = (): string[] => {
    clock.pass(1000);
    return told;
  };
  ended.add('two');
  await expect.poll(toldAfterASecond).toEqual(['two']);
  ended.add('one');
  await expect.poll(toldAfterASecond).toEqual(['two', 'one']);
  expect(await watching).toBe(true);
  expect(told).toEqual(['two', 'one']);
});

test('what is ended from here is not told of', async () => {
  const { ended, told, stop, watching } = stage(['one']);
  stop.abort();
  ended.add('one');
  expect([await watching, told]).toEqual([false, []]);
});

test('a process is known by more than its pid; one that was not there has ended', async () => {
  expect(await watchedProcess('this one', '', process.pid).hasEnded()).toBe(false);
  expect(await watchedProcess('none', '', 2 ** 22 + 1).hasEnded()).toBe(true);
});
