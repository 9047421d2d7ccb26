import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NotifierAudit } from '../../../../src/gateway/notifier/notifier-book.js';
import { firstSettings } from '../../../../src/gateway/notifier/notifier-settings.js';
import { sweepWhile } from '../../../../src/gateway/requests/retention.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

test('a request is forgotten with its turn, its error, its labels and its key: the key then stands for a new request', async () => {
  const submit = async () => {
    const body = { schema_version: 1, kind: 'submit_prompt', payload: { prompt: 'p' } } as const;
    const acceptance = await queue.intake.accept(body, {
      key: 'a key',
      ifTurn: null,
      metadata: { ticket: 'HOU-1' },
    });
    if ('refusal' in acceptance) throw new Error(acceptance.refusal.detail);
    return { id: acceptance.accepted.request_id, replayed: acceptance.replayed };
  };
  const first = await submit();
  queue.worker.start();
  await queue.atRest();
  queue.target.end();
  expect(await queue.final(first.id)).toBe('completed');
  const { turnId } = queue.target.started[0] ?? { turnId: '' };
  expect(await submit()).toEqual({ ...first, replayed: true });
  queue.turnTable.noteUsage(turnId, { model: null, scope: 'turn', amounts: { input_tokens: 1 } });
  expect(queue.turnTable.find(turnId)?.usage_json).toContain('input_tokens');
  expect(queue.reader.find(first.id)?.metadata).toEqual({ ticket: 'HOU-1' });
  await queue.atRest();
  clock.pass(31 * 24 * 60 * 60 * 1000);
  const stopping = new AbortController();
  const swept = sweepWhile(
    { ...queue, turns: queue.turnTable, clock, report: (fault) => void queue.faults.push(fault) },
    30,
    stopping.signal,
  );
  await queue.atRest();
  stopping.abort();
  await swept;
  expect([queue.reader.find(first.id), queue.turnTable.find(turnId)]).toEqual([null, null]);
  for (const table of ['turn_usage', 'prompt_metadata'])
    expect([table, queue.store.prepare(`SELECT * FROM ${table}`).all()]).toEqual([table, []]);
  const second = await submit();
  expect(second.replayed).toBe(false);
  expect(queue.reader.find(second.id)).toMatchObject({ request_id: second.id });
  await queue.atRest();
  queue.target.end();
});

test('the audit of the notifier and keys of their age are forgotten with them, and what is younger stays', async () => {
  const row = {
    unreadCount: 0,
    digest: null,
    summary: [],
    admission: null,
    activity: null,
    queueDepth: null,
    outcome: 'empty',
    requestId: null,
    detail: null,
    settings: firstSettings,
    contextOutcome: null,
    degraded: null,
    notices: [],
  } as const satisfies Partial<NotifierAudit>;
  for (const pollTimeUtc of [
    '2025-11-30T00:00:00+00:00',
    '2025-12-01T00:00:00+00:00',
    '2025-12-31T00:00:00+00:00',
  ])
    queue.notifierTable.audit({ ...row, summary: [], notices: [], pollTimeUtc });
  const [keys] = queue.agedKeys;
  for (const [key, at] of [
    ['old', '2025-11-30T00:00:00Z'],
    ['young', '2025-12-31T00:00:00Z'],
  ] as const)
    keys!.insert(key, { digest: 'd', subject: 'msg', answer: null, at: Date.parse(at) });
  clock.set('2025-12-31T12:00:00Z');
  const stopping = new AbortController();
  const swept = sweepWhile(
    { ...queue, turns: queue.turnTable, clock, report: (fault) => void queue.faults.push(fault) },
    30,
    stopping.signal,
  );
  await queue.atRest();
  stopping.abort();
  await swept;
  expect(queue.store.prepare('SELECT poll_time_utc AS at FROM gateway_notifier_audit').all()).toEqual([
    { at: '2025-12-31T00:00:00+00:00' },
  ]);
  expect([keys!.find('old'), keys!.find('young')?.subject]).toEqual([null, 'msg']);
});
