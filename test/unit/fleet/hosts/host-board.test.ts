import type { KV, KvWatchEntry } from '@nats-io/kv';
import { expect, test } from 'vitest';
import { HostBoard } from '../../../../src/fleet/hosts/host-board.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const record = (host: string) => ({
  version: 1,
  host,
  host_id: host,
  address: 'machine (pid 1, port 1)',
  release: '0.2.0',
  joined_at_utc: '2026-06-01T12:00:00+00:00',
  started_at_utc: '2026-06-01T12:00:00+00:00',
  beat_seconds: 5,
  left: false,
});

/** The bucket of hosts as NATS sends it, with the times of its own clock. */
function bucket(engine: { now: string }) {
  const entries: KvWatchEntry[] = [];
  let wake = (): void => undefined;
  let revision = 0;
  let last: KvWatchEntry | null = null;
  const put = (host: string, isUpdate = true): number => {
    revision += 1;
    const text = JSON.stringify(record(host));
    const entry = {
      key: host,
      revision,
      operation: 'PUT',
      created: new Date(engine.now),
      delta: 0,
      isUpdate,
    };
    last = { ...entry, string: () => text } as unknown as KvWatchEntry;
    entries.push(last);
    wake();
    return revision;
  };
  const watch = async () => {
    let isOver = false;
    return {
      stop: () => {
        isOver = true;
        wake();
      },
      async *[Symbol.asyncIterator]() {
        while (!isOver) {
          const next = entries.shift();
          if (next) yield next;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      },
    };
  };
  const hosts = { watch, put: async (host: string) => put(host), get: async () => last } as unknown as KV;
  return { hosts, put };
}

function board(clock: VirtualClock) {
  const { beat_seconds: _, left: __, version: ___, ...own } = record('ws1');
  return new HostBoard({ own, clock });
}

test('ages and deadlines keep to the right time when the clock of the engine is set back by an hour', async () => {
  const clock = new VirtualClock('2026-06-01T12:00:00Z');
  const engine = { now: '2026-06-01T12:00:00Z' };
  const { hosts, put } = bucket(engine);
  const known = board(clock);
  const over = new AbortController();
  const session = { hosts, ended: over.signal };
  await known.claim(session);
  const running = known.run(session, () => undefined);
  put('ws2');
  await expect.poll(() => known.find('ws2')?.presence).toBe('online');
  engine.now = '2026-06-01T11:00:05Z';
  clock.pass(5000);
  await expect.poll(() => known.engineNow().toISOString()).toBe('2026-06-01T11:00:05.000Z');
  const agesOf = () => known.list().map(({ record: { host }, ageMilliseconds }) => [host, ageMilliseconds]);
  expect(agesOf()).toEqual([
    ['ws1', 0],
    ['ws2', 5000],
  ]);
  for (const second of ['10', '15', '20']) {
    engine.now = `2026-06-01T11:00:${second}Z`;
    clock.pass(5000);
    await expect.poll(() => known.find('ws1')?.ageMilliseconds).toBe(0);
  }
  expect(known.find('ws2')).toMatchObject({ presence: 'away', ageMilliseconds: 20_000 });
  over.abort();
  await running;
});

test('the clock of the host is of no account', async () => {
  const clock = new VirtualClock('2026-06-01T13:00:00Z');
  const { hosts } = bucket({ now: '2026-06-01T12:00:00Z' });
  const known = board(clock);
  expect(known.engineNow()).toEqual(clock.now());
  await known.claim({ hosts, ended: new AbortController().signal });
  clock.set('2020-01-01T00:00:00Z');
  clock.pass(1000);
  expect(known.engineNow().toISOString()).toBe('2026-06-01T12:00:01.000Z');
});
