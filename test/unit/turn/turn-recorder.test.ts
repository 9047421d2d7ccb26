import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { TurnRecorder } from '../../../src/turn/turn-recorder.js';
import { answered } from '../../support/fake-target.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const ending = { ...answered, verdict: { outcome: 'completed', error: null } } as const;
const nothing = () => undefined;

/** Of a turn in a terminal, where only what is confirmed was delivered. */
async function recorder(delivered: (atUtc: string) => void = nothing): Promise<TurnRecorder> {
  await queue.turns.begin(queue.order('t1'), { claimed: () => true, ended: nothing });
  const { journal, turnTable: table, faults } = queue;
  return new TurnRecorder(
    { journal, table, clock: systemClock, report: (fault) => faults.push(fault) },
    { turnId: 't1', requestId: null },
    { delivery: 'claimed', processes: [] },
    { countsWhen: 'confirmed', delivered },
  );
}

const ways = {
  'ends at once': (one: TurnRecorder) => one.end(ending, nothing, new AbortController().signal),
  'ends by a fault': (one: TurnRecorder) => one.endByFault(ending, nothing),
  'is left': (one: TurnRecorder) => one.leave(),
};

test.each(Object.entries(ways))(
  'what was confirmed was delivered, also of a turn that %s',
  async (_how, over) => {
    const one = await recorder();
    one.handedOver('pasted');
    one.confirmed('a row');
    await over(one);
    expect(await one.delivered).toBe(true);
  },
);

test.each(Object.entries(ways))(
  'what was not confirmed was not delivered by a turn that %s',
  async (how, over) => {
    const one = await recorder();
    one.handedOver('pasted');
    await over(one);
    expect(await one.delivered).toBe(how === 'is left' ? 'left' : false);
  },
);

test('what follows from the delivery is reported after it', async () => {
  const one = await recorder((atUtc) =>
    queue.journal.event(atUtc, {
      kind: 'control_prompt_completed',
      subjectId: null,
      data: { turn_id: 't1', finished_at_utc: atUtc },
    }),
  );
  one.handedOver('pasted');
  one.confirmed('a row');
  await one.delivered;
  const kinds = queue.store.prepare<[], { kind: string }>('SELECT kind FROM events ORDER BY seq').all();
  expect(kinds.map(({ kind }) => kind).slice(-3)).toEqual([
    'turn_handed_over',
    'turn_confirmed',
    'control_prompt_completed',
  ]);
});
