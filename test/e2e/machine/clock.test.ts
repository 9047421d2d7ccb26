import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepLease } from '../../../src/gateway/process/presence.js';
import { sweepWhile } from '../../../src/gateway/requests/retention.js';
import { isFresh, publishRecord, readRecord } from '../../../src/session/registry.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';

// A test cannot set the machine's clock: these are the gateway's own parts over real SQLite, with a clock of their own.

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-06-01T12:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

test('clocks that are set back and forth change neither order nor ids', async () => {
  const ids: string[] = [];
  for (const time of [
    '2026-06-01T12:00:00Z',
    '2020-01-01T00:00:00Z',
    '2031-01-01T00:00:00Z',
    '2026-06-01T12:00:00Z',
  ]) {
    clock.set(time);
    for (let n = 0; n < 5; n += 1) ids.push(await queue.prompt(`${time} ${n}`));
  }
  expect(new Set(ids).size).toBe(20);
  const { records } = queue.reader.list({}, Number.MAX_SAFE_INTEGER, 50);
  expect(records.map(({ request_id }) => request_id)).toEqual([...ids].reverse());
  expect(records.map(({ queue_position }) => queue_position)).toEqual([...ids.keys()].reverse());
  queue.worker.start();
  const ran: string[] = [];
  for (const id of ids) {
    await expect.poll(() => queue.target.started.length).toBe(ran.length + 1);
    clock.set(ran.length % 2 === 0 ? '2040-01-01T00:00:00Z' : '1999-01-01T00:00:00Z');
    ran.push(queue.target.started.at(-1)?.prompt ?? '');
    queue.target.end();
    expect(await queue.final(id)).toBe('completed');
  }
  expect(ran).toEqual(queue.target.started.map(({ prompt }) => prompt));
  expect(ran[5]).toBe('2020-01-01T00:00:00Z 0');
});

test('a wait ends when its time has passed, whatever the clock on the wall says', async () => {
  const id = await queue.prompt('waits');
  let over = false;
  const waiting = queue.reader.findFinal(id, 1, new AbortController().signal).then((record) => {
    over = true;
    return record;
  });
  clock.set('2040-01-01T00:00:00Z');
  await queue.atRest();
  expect(over).toBe(false);
  clock.set('1999-01-01T00:00:00Z');
  clock.pass(1000);
  expect((await waiting)?.state).toBe('accepted');
});

test('a clock that is set far ahead deletes nothing that has just finished', async () => {
  queue.worker.start();
  const id = await queue.prompt('finished');
  await expect.poll(() => queue.target.started.length).toBe(1);
  queue.target.end();
  expect(await queue.final(id)).toBe('completed');
  const faults: string[] = [];
  const stopping = new AbortController();
  const sweeping = sweepWhile(
    { ...queue, turns: queue.turnTable, clock, report: (fault) => void faults.push(fault) },
    30,
    stopping.signal,
  );
  const hour = async () => {
    for (let n = 0; n < 5; n += 1) {
      clock.pass(n === 4 ? 60 * 60 * 1000 : 20);
      await queue.atRest();
    }
  };
  await queue.atRest();
  clock.set('2036-06-01T12:00:00Z');
  await hour();
  expect(faults).toEqual([expect.stringMatching(/ set by 31\d+ s; /)]);
  expect(queue.reader.find(id)?.state).toBe('completed');
  // It is set right again.
  clock.set('2026-06-01T14:00:00Z');
  await hour();
  await hour();
  expect(queue.reader.find(id)?.state).toBe('completed');
  // A month passes as months do.
  const aMonthLater = () => {
    clock.pass(31 * 24 * 60 * 60 * 1000);
    return queue.reader.find(id);
  };
  await expect.poll(aMonthLater).toBeNull();
  stopping.abort();
  await sweeping;
});

test('a lease is renewed within a minute when the clock was set, in both directions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-lease-'));
  publishRecord(
    folder,
    {
      schema_version: 2,
      agent_name: 'a',
      agent_id: 'a',
      generation_id: 'g',
      published_at: clock.now().toISOString(),
      lease_expires_at: clock.now().toISOString(),
      identity: { backend: 'claude_headless', tool: 'claude' },
      runtime: { manifest_path: '/m' },
      terminal: { kind: 'tmux', session_name: 's' },
    },
    clock.now(),
  );
  const fresh = (): boolean => {
    const record = readRecord(folder, 'a');
    return record !== null && isFresh(record, clock.now());
  };
  const faults: string[] = [];
  const stop = keepLease(
    folder,
    { agent_id: 'a', registry_generation_id: 'g' },
    clock,
    (fault) => void faults.push(fault),
  );
  expect(fresh()).toBe(true);
  for (const time of ['2026-06-05T00:00:00Z', '2020-01-01T00:00:00Z', '2026-06-01T12:00:00Z']) {
    clock.set(time);
    clock.pass(60_000);
    await queue.atRest();
    const lease = Date.parse(readRecord(folder, 'a')?.lease_expires_at ?? '');
    expect([fresh(), lease - clock.now().getTime()]).toEqual([true, 24 * 60 * 60 * 1000]);
  }
  stop();
  rmSync(folder, { recursive: true, force: true });
  expect(faults).toEqual([]);
});
