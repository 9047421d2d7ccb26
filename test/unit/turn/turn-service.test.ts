import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { Verdict } from '../../../src/turn/turn-end.js';
import { answered } from '../../support/fake-target.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const order = (turnId: string) => queue.order(turnId);
const idle = { stop: async () => ({ outcome: 'no_op' }) as const, leave: () => undefined };
const companion = { claimed: () => true, ended: () => undefined };
/** Another program holds the database, as a full disk would: no write gets through. */
function blockWrites(): () => void {
  const other = openDatabase(queue.paths.queue);
  other.exec('BEGIN IMMEDIATE');
  return () => other.close();
}

test('the end of a turn waits for a queue that takes no writes, and the slot with it', async () => {
  const begun = await queue.turns.begin(order('t1'), companion);
  const unblock = blockWrites();
  queue.target.end();
  await expect.poll(() => queue.faults.join()).toMatch(/queue\.sqlite: another program .*fuser/);
  expect(queue.slot.holder?.turnId).toBe('t1');
  unblock();
  expect((await begun?.over)?.outcome).toBe('completed');
  expect(queue.slot.free).toBe(true);
  expect(queue.turnTable.find('t1')).toMatchObject({ state: 'ended', outcome: 'completed' });
});

test('a gateway that goes down does not wait for it', async () => {
  const begun = await queue.turns.begin(order('t1'), companion);
  const unblock = blockWrites();
  await queue.turns.stopForShutdown();
  // While the database is still blocked: waiting for it would never end.
  await begun?.over;
  expect(queue.slot.free).toBe(true);
  unblock();
});

test('a claim that is refused frees the slot', async () => {
  const unblock = blockWrites();
  await expect(queue.turns.begin(order('t1'), companion)).rejects.toThrow(/locked/);
  unblock();
  expect(queue.slot.free).toBe(true);
  expect(queue.target.started).toEqual([]);
});

test('an interrupt of a turn that withdraws does not wait', async () => {
  const begun = queue.turns.begin(order('t1'), { ...companion, claimed: () => false });
  const stopped = queue.turns.interrupt('t1');
  expect(await begun).toBeNull();
  expect(await stopped).toEqual({ outcome: 'no_op' });
  expect(queue.slot.free).toBe(true);
});

test('nothing begins once the gateway goes down, and a reservation is given back', async () => {
  const reservation = queue.slot.tryReserve();
  await queue.turns.stopForShutdown();
  expect(await queue.turns.begin(order('t1'), companion, reservation ?? undefined)).toBeNull();
  expect(await queue.turns.begin(order('t2'), companion)).toBeNull();
  expect(queue.slot.free).toBe(true);
  expect(queue.target.started).toEqual([]);
});

test('two interrupts send one ladder of signals', async () => {
  await queue.turns.begin(order('t1'), companion);
  const [first, second] = await Promise.all([queue.turns.interrupt('t1'), queue.turns.interrupt('t1')]);
  const stopped = { outcome: 'stopped', signal: 'SIGINT' };
  expect([first, second]).toEqual([stopped, stopped]);
  expect(await queue.turns.interrupt('t1')).toEqual({ outcome: 'no_op' });
});

test('a turn that outlasts its time is ended, and fails by that name; one within it is left alone', async () => {
  await queue.close();
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  const limited = { ...order('t1'), timeLimitSeconds: 60 };
  const begun = await queue.turns.begin(limited, companion);
  clock.pass(59_999);
  await queue.atRest();
  expect(queue.slot.holder?.turnId).toBe('t1');
  clock.pass(1);
  expect(await begun?.over).toMatchObject({ outcome: 'failed', error: { code: 'turn_time_limit' } });
  const quick = await queue.turns.begin({ ...limited, turnId: 't2' }, companion);
  queue.target.end();
  expect((await quick?.over)?.outcome).toBe('completed');
  const next = await queue.turns.begin(order('t3'), companion);
  clock.pass(600_000);
  await queue.atRest();
  expect(queue.slot.holder?.turnId).toBe('t3');
  queue.target.end();
  await next?.over;
});

test('a conversation that could not be pinned is reported by its id, and the turn is what it was', async () => {
  queue.target.settle = () => {
    throw new Error('/a/manifest.json: is not valid JSON; restore it');
  };
  queue.target.signs = { ...answered, sessionId: 's1' };
  const begun = await queue.turns.begin(order('t1'), companion);
  queue.target.end();
  expect((await begun?.over)?.outcome).toBe('completed');
  expect(queue.faults).toEqual([
    'turn t1: its conversation (s1) could not be pinned; that is done before the next turn, unless the gateway stops before: /a/manifest.json: is not valid JSON; restore it',
  ]);
});

const eventsOf = (turnId: string): string[] =>
  queue.store
    .prepare<[string], { kind: string }>('SELECT kind FROM events WHERE subject_id = ? ORDER BY seq')
    .all(turnId)
    .map(({ kind }) => kind);

describe('a turn whose end meets a fault fails with it, and the slot is free', () => {
  test.each([
    [
      'how the agent ended is unknown',
      () => {
        const broken = queue.order('t1');
        return { ...broken, start: () => ({ ...idle, ended: Promise.reject(new Error('unheard of')) }) };
      },
      companion,
    ],
    [
      'what it showed cannot be judged',
      () => {
        queue.target.signs = { ...answered, completion: null, stderrTail: null as never };
        return queue.order('t1');
      },
      companion,
    ],
    [
      'what else belongs to its end cannot be written at first',
      () => queue.order('t1'),
      {
        ...companion,
        ended: (_at: string, { outcome }: Verdict) => {
          if (outcome === 'completed') throw new Error('unheard of');
        },
      },
    ],
  ])('because %s', async (_why, arrange, also) => {
    const begun = await queue.turns.begin(arrange(), also);
    queue.target.end();
    expect(await begun?.over).toMatchObject({ outcome: 'failed', error: { code: 'internal_fault' } });
    expect(queue.turnTable.find('t1')).toMatchObject({
      state: 'ended',
      outcome: 'failed',
      error_code: 'internal_fault',
    });
    expect(queue.faults).toEqual([expect.stringMatching(/^turn t1 hit an internal error at its end: /)]);
    expect(queue.slot.free).toBe(true);
    queue.target.signs = answered;
    const next = await queue.turns.begin(order('t2'), companion);
    queue.target.end();
    expect((await next?.over)?.outcome).toBe('completed');
  });

  test('and without what else belongs to its end where the fault is in that', async () => {
    const ended = (): never => {
      throw new RangeError('Invalid time value');
    };
    const begun = await queue.turns.begin(order('t1'), { ...companion, ended });
    queue.target.end();
    expect(await begun?.over).toMatchObject({ outcome: 'failed', error: { code: 'internal_fault' } });
    expect(queue.turnTable.find('t1')).toMatchObject({ state: 'ended', outcome: 'failed' });
    expect(queue.slot.free).toBe(true);
  });

  test('also when not even that can be written; the fault says that the next start has to', async () => {
    const begun = await queue.turns.begin(order('t1'), companion);
    queue.refuse('UPDATE ON turns');
    queue.target.end();
    expect(await begun?.over).toMatchObject({ error: { code: 'internal_fault' } });
    expect(queue.faults.join('\n')).toMatch(/internal error at its end: refused\n.*only the next start/);
    expect(queue.slot.free).toBe(true);
    expect(await begun?.delivered).toBe(true);
  });
});

describe('a turn that is left', () => {
  test('stays as it is: its row runs, its slot is held, and nothing begins beside it', async () => {
    const begun = await queue.turns.begin(queue.order('t1'), companion);
    await queue.turns.leaveRunning();
    expect(await begun?.over).toBeNull();
    expect(queue.turnTable.find('t1')).toMatchObject({ state: 'running', delivery_state: 'handed_over' });
    expect(queue.slot.holder?.turnId).toBe('t1');
    expect(await queue.turns.begin(queue.order('t2'), companion)).toBeNull();
    expect(eventsOf('t1')).toEqual(['turn_claimed', 'turn_handed_over']);
    // A shutdown after that ends nothing any more.
    await queue.turns.stopForShutdown();
    expect(queue.turnTable.find('t1')?.state).toBe('running');
  });

  test('before anybody said that the agent has it is called left, not undelivered', async () => {
    queue.target.handsOver = false;
    const begun = await queue.turns.begin(queue.order('t1'), companion);
    await queue.turns.leaveRunning();
    expect(await begun?.delivered).toBe('left');
    expect(queue.turnTable.find('t1')).toMatchObject({ state: 'running', delivery_state: 'claimed' });
  });

  test('while it is being claimed is left once it stands', async () => {
    const begun = queue.turns.begin(queue.order('t1'), companion);
    await queue.turns.leaveRunning();
    expect(await (await begun)?.over).toBeNull();
    expect(queue.turnTable.find('t1')?.state).toBe('running');
  });

  test('where nothing runs, leaving is done at once', async () => {
    await queue.turns.leaveRunning();
    expect(await queue.turns.begin(queue.order('t1'), companion)).toBeNull();
  });
});

describe('a turn that is adopted', () => {
  const leave = async (
    turnId: string,
    more: Parameters<typeof queue.turnTable.insertPlan>[1] | null = null,
  ) =>
    queue.journal.write((atUtc) => {
      queue.turnTable.insert({
        turn_id: turnId,
        origin: 'direct',
        request_id: null,
        tool: 'claude',
        model: null,
        started_at_utc: atUtc,
      });
      if (more) queue.turnTable.insertPlan(turnId, more);
    });

  test('holds the slot, and ends with the events that are missing', async () => {
    await leave('t1');
    const ended: string[] = [];
    const adopted = queue.turns.adopt('t1', { ended: (_at, { outcome }) => void ended.push(outcome) });
    expect(queue.slot.holder).toEqual({ turnId: 't1', origin: 'direct' });
    expect(await queue.turns.begin(order('t2'), companion)).toBeNull();
    expect(await adopted?.delivered).toBe(true);
    queue.target.end();
    expect((await adopted?.over)?.outcome).toBe('completed');
    expect(ended).toEqual(['completed']);
    expect(queue.slot.free).toBe(true);
    expect(eventsOf('t1')).toEqual(['turn_handed_over', 'turn_confirmed', 'turn_ended']);
    expect(queue.target.started).toEqual([]);
  });

  test('does not report again what is on disk already', async () => {
    await leave('t1');
    await queue.journal.write((atUtc) => queue.turnTable.deliver('t1', 'confirmed', atUtc, 'seen before'));
    const adopted = queue.turns.adopt('t1', companion);
    queue.target.end();
    await adopted?.over;
    expect(eventsOf('t1')).toEqual(['turn_ended']);
    expect(queue.turnTable.find('t1')).toMatchObject({ delivery_evidence: 'seen before' });
  });

  test('that no longer knows its conversation says which one it was begun with', async () => {
    await leave('t1', { session: { mode: 'exact', id: 's1' }, timeLimitSeconds: null });
    queue.target.signs = { ...answered, completion: null, sessionLost: true, exitCode: 1 };
    const adopted = queue.turns.adopt('t1', companion);
    queue.target.end();
    expect(await adopted?.over).toMatchObject({ error: { code: 'provider_session_lost' } });
    const { data_json } = queue.store
      .prepare<[], { data_json: string }>("SELECT data_json FROM events WHERE kind = 'provider_session_lost'")
      .all()[0] ?? { data_json: '{}' };
    expect(JSON.parse(data_json)).toMatchObject({ turn_id: 't1', session: { mode: 'exact', id: 's1' } });
  });

  test('whose time is over is ended by that name', async () => {
    await leave('t1', { session: { mode: 'new' }, timeLimitSeconds: 0.001 });
    const adopted = queue.turns.adopt('t1', companion);
    expect(await adopted?.over).toMatchObject({ error: { code: 'turn_time_limit' } });
  });

  test('can be interrupted and replaced like any other', async () => {
    await leave('t1');
    queue.turns.adopt('t1', companion);
    expect(await queue.turns.interrupt('t1')).toEqual({ outcome: 'stopped', signal: 'SIGINT' });
    expect(queue.turnTable.find('t1')?.outcome).toBe('interrupted');
  });

  test('is none when it has ended, when another holds the slot, or when its target cannot follow it', async () => {
    expect(queue.turns.adopt('unknown', companion)).toBeNull();
    await leave('t1');
    queue.target.adopt = () => null;
    expect(queue.turns.adopt('t1', companion)).toBeNull();
    expect(queue.slot.free).toBe(true);
    queue.target.adopt = () => {
      throw new Error('the session cannot be read');
    };
    expect(() => queue.turns.adopt('t1', companion)).toThrow('cannot be read');
    expect(queue.slot.free).toBe(true);
    await queue.turns.begin(order('t2'), companion);
    expect(queue.turns.adopt('t1', companion)).toBeNull();
    expect(queue.slot.holder?.turnId).toBe('t2');
  });
});
