import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Linger } from '../../../src/run/supervisor.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const minute = 60_000;
let clock: VirtualClock;
let agent: ChildProcess;
let ended: Promise<unknown>;
let linger: Linger;

beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  agent = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  await once(agent, 'spawn');
  ended = once(agent, 'exit');
  const finished = new AbortController();
  linger = new Linger(agent.pid ?? 0, finished.signal, clock);
  onTestFinished(() => {
    finished.abort();
    agent.kill('SIGKILL');
  });
});
/** Lets so much time pass without a row. */
async function passes(milliseconds: number): Promise<void> {
  clock.pass(milliseconds);
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}
/** Linux shows a process that was ended as a zombie, once another one was begun and ended after it. */
function isReported(): boolean {
  execFileSync('true');
  return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${agent.pid}/status`, 'utf8'));
}

test('an agent that has its result and does not exit is ended after a while without a row', async () => {
  await passes(minute);
  linger.completed();
  await passes(4999);
  linger.row();
  await passes(4999);
  expect(isReported()).toBe(false);
  await passes(1);
  await ended;
  expect(agent.signalCode).toBe('SIGTERM');
});

test('one with tasks in the background is left to them, and to what it makes of their end', async () => {
  linger.tasks(2);
  linger.completed();
  await passes(60 * minute);
  linger.tasks(1);
  await passes(60 * minute);
  linger.tasks(0);
  linger.row();
  await passes(9 * minute);
  expect(isReported()).toBe(false);
  linger.completed();
  await passes(5000);
  await ended;
  expect(agent.signalCode).toBe('SIGTERM');
});

test('one that is not woken by the end of its tasks is ended at last', async () => {
  linger.tasks(1);
  linger.completed();
  linger.tasks(0);
  await passes(10 * minute);
  await ended;
  expect(agent.signalCode).toBe('SIGTERM');
});
