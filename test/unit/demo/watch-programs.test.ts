import { expect, test } from 'vitest';
import { type WatchedProgram, watchedProcess, watchPrograms } from '../../../src/demo/watch-programs.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** Programs that end when the test says so, and the reports about them. */
function stage(names: string[]) {
  const clock = new VirtualClock('2026-03-13T08:00:00Z');
  const ended = new Set<string>();
  const reported: string[] = [];
  const stop = new AbortController();
  const programs = names.map(
    (name): WatchedProgram => ({ name, why: '', hasEnded: async () => ended.has(name) }),
  );
  const watching = watchPrograms(programs, {
    clock,
    tell: ({ name }) => reported.push(name),
    enough: stop.signal,
  });
  return { clock, ended, reported, stop, watching };
}

test('each that ends is reported once; with the last one the watching is over', async () => {
  const { clock, ended, reported, watching } = stage(['one', 'two']);
  const reportedAfterASecond = (): string[] => {
    clock.pass(1000);
    return reported;
  };
  ended.add('two');
  await expect.poll(reportedAfterASecond).toEqual(['two']);
  ended.add('one');
  await expect.poll(reportedAfterASecond).toEqual(['two', 'one']);
  expect(await watching).toBe(true);
  expect(reported).toEqual(['two', 'one']);
});

test('a program that is ended from here is not reported', async () => {
  const { ended, reported, stop, watching } = stage(['one']);
  stop.abort();
  ended.add('one');
  expect([await watching, reported]).toEqual([false, []]);
});

test('a process is known by more than its pid; one that was not there has ended', async () => {
  expect(await watchedProcess('this one', '', process.pid).hasEnded()).toBe(false);
  expect(await watchedProcess('none', '', 2 ** 22 + 1).hasEnded()).toBe(true);
});
