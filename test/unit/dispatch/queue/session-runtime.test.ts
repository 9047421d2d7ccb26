import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSessionStore, SessionRuntime } from '../../../../src/dispatch/queue/session-runtime.js';
import { systemClock } from '../../../../src/foundation/clock.js';
import { Waiters } from '../../../../src/foundation/concurrency.js';
import { type SessionPaths, sessionPaths } from '../../../../src/session/session-paths.js';
import { FakeTarget } from '../../../support/fake-target.js';
import { ownTurns } from '../../../support/own-turns.js';

let folder: string;
let paths: SessionPaths;
const end: (() => Promise<void> | void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-runtime-'));
  paths = sessionPaths(folder);
});
afterEach(async () => {
  for (const step of end.splice(0).reverse()) await step();
  rmSync(folder, { recursive: true });
});

/** The runtime of one owner after another: each opens what the one before it left. */
function runtimeOf(target: FakeTarget, outlive: boolean) {
  const ownership = ownTurns(paths);
  const waiters = new Waiters();
  const runtime = new SessionRuntime({
    paths,
    events: openSessionStore({
      paths,
      program: outlive ? 'server' : 'gateway',
      clock: systemClock,
      print: () => undefined,
    }),
    target,
    identity: 's',
    tool: 'claude',
    ownership,
    outlive,
    clock: systemClock,
    waiters,
    ownAxes: () => ({ needsReconciliation: false, epoch: 0, paused: false, queueDepth: 0 }),
  });
  const close = async (): Promise<void> => {
    runtime.events.feed.close();
    await runtime.events.close();
    ownership.release();
  };
  return { runtime, waiters, close };
}

/** Begins a turn, and leaves it as an owner does that dies, or (`left`) one that goes away in order. */
async function leaveTurn(outlive: boolean, left: boolean): Promise<void> {
  const { runtime, close } = runtimeOf(new FakeTarget(), outlive);
  await runtime.settle();
  await runtime.prompts.send(
    { prompt: 'Hello', force: false, chatSession: null, execution: null },
    { turnId: 't', claimed: () => undefined },
  );
  if (left) await runtime.turns.leaveRunning();
  await close();
}

/** Opens the session as the next owner, and returns what it made of the turn. */
async function settled(target: FakeTarget, outlive: boolean) {
  const next = runtimeOf(target, outlive);
  end.push(next.close);
  await next.runtime.settle();
  const kinds = next.runtime.events.store
    .prepare<[], { kind: string }>('SELECT kind FROM events ORDER BY seq')
    .all()
    .map(({ kind }) => kind);
  const { turnTable, turns } = next.runtime;
  return { ...next, kinds, turn: turnTable.find('t'), live: turns.liveTurnId };
}

test.each([
  ['left in order, by a gateway', { outlive: false, left: true }, false],
  ['left in order, by a gateway, to a server', { outlive: false, left: true }, true],
  ['of a server that died', { outlive: true, left: false }, true],
  ['of a server that died, to a gateway', { outlive: true, left: false }, false],
  ['of a gateway that died, to a server', { outlive: false, left: false }, true],
])('a turn %s is followed to its end by the next owner', async (_, before, outlive) => {
  await leaveTurn(before.outlive, before.left);
  const target = new FakeTarget();
  const { live, kinds, waiters, runtime } = await settled(target, outlive);
  expect([live, kinds.includes('recovered')]).toEqual(['t', false]);
  const ended = waiters.wait('t', 20_000, new AbortController().signal);
  target.end();
  await ended;
  expect(runtime.turnTable.find('t')).toMatchObject({ state: 'ended', outcome: 'completed' });
});

test('a headless turn of a gateway that died is ended by the next gateway', async () => {
  await leaveTurn(false, false);
  const { live, kinds, turn } = await settled(new FakeTarget(), false);
  expect([live, kinds.at(-1)]).toEqual([null, 'recovered']);
  expect(turn).toMatchObject({ state: 'ended', outcome: 'failed', error_code: 'gateway_restarted' });
});

test.each([true, false])(
  'a turn that was left and cannot be followed any more is ended (of a server: %s)',
  async (outlive) => {
    await leaveTurn(outlive, true);
    const target = new FakeTarget();
    target.adopt = () => null;
    const { live, kinds, turn } = await settled(target, outlive);
    expect([live, kinds.at(-1)]).toEqual([null, 'recovered']);
    expect(turn).toMatchObject({ state: 'ended', error_code: 'gateway_restarted' });
  },
);
