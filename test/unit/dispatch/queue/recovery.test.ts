import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recover } from '../../../../src/dispatch/queue/recovery.js';
import { systemClock } from '../../../../src/foundation/clock.js';
import { newTurnId } from '../../../../src/foundation/ids.js';
import { markVariables } from '../../../../src/foundation/marked-processes.js';
import { identify, type ProcessIdentity } from '../../../../src/foundation/processes.js';
import { jobFileOf, writeJob } from '../../../../src/run/turn-job.js';
import type { DeliveryState, TurnOrigin } from '../../../../src/turn/turn-table.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { jobIn, session } from '../../../support/turn-job.js';

let queue: TestQueue;
/** Processes are looked for by it on the whole machine, where other tests run too. */
let turnId: string;
const left: ChildProcess[] = [];
beforeEach(async () => {
  turnId = newTurnId();
  queue = await makeQueue();
});
afterEach(async () => {
  for (const child of left.splice(0)) child.kill('SIGKILL');
  await queue.close();
});

const atUtc = '2026-01-01T00:00:00+00:00';
/** A row as a gateway leaves it that dies while the turn runs. */
const leave = (
  id: string,
  delivery: DeliveryState,
  {
    processes = [],
    ...more
  }: { origin?: TurnOrigin; requestId?: string; processes?: ProcessIdentity[] } = {},
): Promise<void> =>
  queue.journal.write(() => {
    const { turnTable } = queue;
    turnTable.insert({
      turn_id: id,
      origin: more.origin ?? 'queue',
      request_id: more.requestId ?? null,
      tool: 'claude',
      started_at_utc: atUtc,
      model: null,
    });
    turnTable.insertPlan(id, { session: { mode: 'new' }, timeLimitSeconds: null });
    if (delivery !== 'claimed') turnTable.deliver(id, delivery, atUtc, 'seen');
    turnTable.noteProcesses(id, JSON.stringify(processes));
  });
const start = () =>
  recover({
    runsOn: () => false,
    journal: queue.journal,
    turns: queue.turnTable,
    queue: queue.queue,
    session: { identity: session, run: queue.paths.run },
    clock: systemClock,
  });
const events = () =>
  queue.store
    .prepare<[], { kind: string; data_json: string }>('SELECT kind, data_json FROM events ORDER BY seq')
    .all();
const kinds = () => events().map(({ kind }) => kind);

/** A process that ignores SIGTERM, ready to get it. */
async function stubborn(options: {
  detached: boolean;
  turnId?: string;
  session?: string;
}): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: options.detached,
      env: options.turnId ? markVariables({ session, ...options, turnId: options.turnId }) : {},
    },
  );
  left.push(child);
  await once(child.stdout, 'data');
  return child;
}
const identity = (child: ChildProcess): ProcessIdentity => {
  const found = identify(child.pid ?? 0);
  if (!found) throw new Error('it has ended already');
  return found;
};

test.each([
  ['claimed', 'unconfirmed', 'the owner of the turn stopped before the agent showed that it took the prompt'],
  [
    'handed_over',
    'unconfirmed',
    'the owner of the turn stopped before the agent showed that it took the prompt',
  ],
  ['confirmed', 'confirmed', 'seen'],
] as const)('a turn that was %s when its gateway died is %s', async (before, after, evidence) => {
  await leave(turnId, before);
  await start();
  expect(queue.turnTable.find(turnId)).toMatchObject({
    state: 'ended',
    outcome: 'failed',
    error_code: 'gateway_restarted',
    delivery_state: after,
    delivery_evidence: evidence,
    exit_code: null,
    signal: null,
  });
  expect(queue.turnTable.plan(turnId)).toBeNull();
});

test('its request fails with it, a direct prompt has its end event, and one event tells of the recovery', async () => {
  const requestId = await queue.prompt('p');
  await queue.journal.write((now) => queue.queue.start(now, requestId, 'submit_prompt'));
  await leave(turnId, 'confirmed', { requestId });
  await leave(`${turnId}-2`, 'handed_over', { origin: 'direct' });
  const before = kinds().length;
  await start();
  expect(await queue.final(requestId)).toBe('failed');
  expect(queue.reader.find(requestId)?.error).toEqual({
    code: 'gateway_restarted',
    detail: 'The gateway restarted before this completed; it is not replayed.',
  });
  expect(kinds().slice(before)).toEqual([
    'turn_ended',
    'turn_ended',
    'control_prompt_failed',
    'failed',
    'recovered',
  ]);
  expect(JSON.parse(events().at(-1)?.data_json ?? '')).toEqual({
    turns_ended: 2,
    processes_ended: 0,
    requests_failed: 1,
  });
  const after = kinds().length;
  await start();
  expect(kinds()).toHaveLength(after);
});

test('what waits is left as it is', async () => {
  const waiting = await queue.prompt('later');
  await leave(turnId, 'claimed');
  await start();
  expect(queue.queue.rows.find(waiting)?.state).toBe('accepted');
});

test('a job that its runner has not read yet is taken away: it would start later, beside the next turn', async () => {
  await leave(turnId, 'claimed');
  const job = jobFileOf(queue.paths.run, turnId);
  writeJob(job, jobIn(queue.paths.root, { turnId }).job);
  await start();
  expect(existsSync(job)).toBe(false);
});

test('a runner that ignores SIGTERM, leads no group and carries no mark is killed', async () => {
  const child = await stubborn({ detached: false });
  const ended = once(child, 'exit');
  await leave(turnId, 'handed_over', { processes: [identity(child)] });
  await start();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(JSON.parse(events().at(-1)?.data_json ?? '')).toMatchObject({ processes_ended: 1 });
});

test('an agent whose pid nobody wrote down is found by its mark, and killed', async () => {
  const child = await stubborn({ detached: true, turnId });
  const ended = once(child, 'exit');
  await leave(turnId, 'claimed');
  await start();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('an agent at work on a turn of that name in another session is left alone', async () => {
  const child = await stubborn({ detached: true, turnId, session: 'another-session' });
  await leave(turnId, 'claimed');
  await start();
  expect(child.exitCode ?? child.signalCode).toBeNull();
  expect(JSON.parse(events().at(-1)?.data_json ?? '')).toMatchObject({ processes_ended: 0 });
});

test('a process that was given the pid of a dead one is left alone', async () => {
  const child = await stubborn({ detached: true });
  await leave(turnId, 'confirmed', { processes: [{ ...identity(child), startedAt: 'another time' }] });
  await start();
  expect(child.exitCode ?? child.signalCode).toBeNull();
  expect(queue.turnTable.find(turnId)?.state).toBe('ended');
});
