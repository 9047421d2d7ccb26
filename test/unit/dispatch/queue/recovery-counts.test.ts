import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recover } from '../../../../src/dispatch/queue/recovery.js';
import type { TurnOrigin } from '../../../../src/turn/turn-table.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

const start = () =>
  recover({
    runsOn: () => false,
    journal: queue.journal,
    turns: queue.turnTable,
    queue: queue.queue,
    session: { identity: 'session', run: queue.paths.run },
    clock,
  });
/** A turn as a gateway leaves it that dies while the turn runs. */
const leaveTurn = (turnId: string, origin: TurnOrigin, requestId: string | null = null) =>
  queue.journal.write((atUtc) => {
    queue.turnTable.insert({
      turn_id: turnId,
      origin,
      request_id: requestId,
      tool: 'claude',
      started_at_utc: atUtc,
      model: null,
    });
  });
async function leaveRequest(): Promise<string> {
  const requestId = await queue.prompt('p');
  await queue.journal.write((atUtc) => queue.queue.start(atUtc, requestId, 'submit_prompt'));
  return requestId;
}
/** The events that the recovery wrote down, in its order. */
const reported = () =>
  queue.store
    .prepare<[], { kind: string; subject_id: string | null; data_json: string }>(
      "SELECT * FROM events WHERE kind IN ('turn_ended', 'failed', 'recovered', 'control_prompt_failed') ORDER BY seq",
    )
    .all()
    .map(({ kind, subject_id, data_json }) => ({ kind, subject_id, data: JSON.parse(data_json) }));
const recovered = (turns_ended: number, requests_failed: number) => ({
  kind: 'recovered',
  subject_id: null,
  data: { turns_ended, processes_ended: 0, requests_failed },
});

const reason = expect.stringMatching(/^The gateway restarted/);

describe('what one recovery tells of', () => {
  test('is a turn with its request', async () => {
    const requestId = await leaveRequest();
    await leaveTurn('t1', 'queue', requestId);
    await start();
    expect(reported().map(({ kind }) => kind)).toEqual(['turn_ended', 'failed', 'recovered']);
    expect(reported().at(-1)).toEqual(recovered(1, 1));
    expect(queue.queue.depth).toBe(0);
  });

  test('is a request without a turn, such as an interrupt', async () => {
    const requestId = await leaveRequest();
    await start();
    expect(reported()).toEqual([
      {
        kind: 'failed',
        subject_id: requestId,
        data: {
          request_id: requestId,
          error_detail: reason,
          result_json: null,
        },
      },
      recovered(0, 1),
    ]);
  });

  test('is a turn without a request: of a direct prompt with the end that was promised, of a reminder without', async () => {
    await leaveTurn('t1', 'direct');
    await leaveTurn('t2', 'reminder');
    await start();
    expect(reported().map(({ kind, subject_id }) => [kind, subject_id])).toEqual([
      ['turn_ended', 't1'],
      ['control_prompt_failed', 't1'],
      ['turn_ended', 't2'],
      ['recovered', null],
    ]);
    expect(reported()[1]?.data).toEqual({
      turn_id: 't1',
      error_detail: reason,
      outcome: 'failed',
      finished_at_utc: '2026-01-01T00:00:00+00:00',
    });
    expect(reported().at(-1)).toEqual(recovered(2, 0));
  });

  test('is nothing where nothing ran: the start then writes nothing', async () => {
    await queue.prompt('waits');
    const before = queue.journal.transaction;
    await start();
    expect(queue.journal.transaction).toBe(before);
  });
});

test('it is one transaction: where one end cannot be written, none is, and the next start settles all', async () => {
  const requestId = await leaveRequest();
  await leaveTurn('t1', 'queue', requestId);
  const stop = queue.refuse('UPDATE ON gateway_requests');
  await expect(start()).rejects.toThrow('refused');
  stop();
  expect([queue.turnTable.find('t1')?.state, queue.queue.rows.find(requestId)?.state, reported()]).toEqual([
    ...['running', 'running', []],
  ]);
  await start();
  expect(queue.queue.rows.find(requestId)).toMatchObject({
    state: 'failed',
    error_code: 'gateway_restarted',
  });
});
