import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DirectPrompt, directPromptEnded } from '../../../src/dispatch/direct-prompt.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

const send = (text: string, change: Partial<DirectPrompt> = {}) =>
  queue.prompts.send({ prompt: text, force: false, chatSession: null, execution: null, ...change });
async function sent(text: string, change?: Partial<DirectPrompt>): Promise<string> {
  const answer = await send(text, change);
  if (!('turnId' in answer)) throw new Error(answer.detail);
  return answer.turnId;
}
const events = () =>
  queue.store
    .prepare<[], { kind: string; subject_id: string; data_json: string }>(
      "SELECT * FROM events WHERE kind LIKE 'control_prompt%' ORDER BY seq",
    )
    .all()
    .map(({ kind, subject_id, data_json }) => ({ kind, subject_id, data: JSON.parse(data_json) }));
const forced = { force: true };
const holder = { turnId: 't', origin: 'queue' } as const;
const failed = (detail: string) => ({
  ...queue.target.signs,
  completion: null,
  reportedOutcome: { outcome: 'failed', error: { code: 'peer_refused', detail } } as const,
});
describe('the options of a prompt', () => {
  test('are checked and resolved as they were given, with the fresh conversation that was asked for', async () => {
    const asked: unknown[] = [];
    const resolve = queue.target.resolve.bind(queue.target);
    Object.assign(queue.target, {
      check: (...given: unknown[]) => {
        asked.push(given);
        return null;
      },
      resolve: (...given: unknown[]) => {
        asked.push(given);
        return resolve();
      },
    });
    queue.override.set();
    const options = { chatSession: { mode: 'new' }, execution: { model: { name: 'm' } } } as const;
    await sent('x', options);
    expect(asked).toEqual([
      [options, 'direct', 'x'],
      [options, { override: { mode: 'new' }, forced: false }],
    ]);
    asked.length = 0;
    await sent('y', { ...options, ...forced });
    expect(asked.slice(1)).toEqual(Array(2).fill([options, { override: { mode: 'new' }, forced: true }]));
  });

  test('that the agent refuses are reported before anything is claimed, busy or not', async () => {
    await sent('before');
    const refusal = { code: 'invalid_execution', detail: 'no such level' } as const;
    Object.assign(queue.target, { check: () => refusal });
    expect([await send('x'), await send('x', forced)]).toEqual([refusal, refusal]);
    expect(queue.target.started).toHaveLength(1);
  });

  test.each([
    ['none', null, true],
    ['the usual one', { mode: 'auto' }, true],
    ['a certain one', { mode: 'exact', id: 'c' }, false],
  ] as const)('that ask for %s use up the fresh conversation: %s, %s', async (_which, chatSession, used) => {
    queue.override.set();
    await sent('x', { chatSession });
    expect(queue.override.pending === null).toBe(used);
  });

  test.each([
    ['the usual one', null, true],
    ['a certain one', { mode: 'exact', id: 'c' }, false],
  ] as const)('of an agent elsewhere that ask for %s do so, too', async (_which, chatSession, used) => {
    queue.target.remote = true;
    queue.override.set();
    await sent('x', { chatSession });
    expect(queue.override.pending === null).toBe(used);
  });
});

describe('a prompt whose slot is gone when it claims', () => {
  const justNow = {
    code: 'not_ready',
    detail: 'Gateway prompt rejected because the agent has just become busy.',
  };

  test('is refused', async () => {
    const resolve = queue.target.resolve.bind(queue.target);
    queue.target.resolve = () => {
      queue.slot.tryTake(holder);
      return resolve();
    };
    expect(await send('late')).toEqual(justNow);
    queue.slot.release('t');
  });

  test('by a forced one that is on its way is refused, and by force, too', async () => {
    const reservation = queue.slot.tryReserve();
    expect(await send('late', forced)).toEqual({
      code: 'not_ready',
      detail: expect.stringMatching(/^Another forced prompt/),
    });
    expect(queue.slot.free).toBe(false);
    reservation?.cancel();
    await sent('in time', forced);
  });

  test('takes the fresh conversation from nobody', async () => {
    queue.override.set();
    const begin = queue.turns.begin.bind(queue.turns);
    queue.turns.begin = async () => null;
    expect(await send('late')).toEqual(justNow);
    queue.turns.begin = begin;
    expect(queue.override.pending).toEqual({ mode: 'new' });
  });
});

describe('the events of a prompt', () => {
  test('say whether it was forced, when it was sent, and how it ended', async () => {
    const [first, second] = [await sent('first'), await sent('second', forced)];
    const atUtc = '2026-01-01T00:00:00+00:00';
    expect(events()).toEqual([
      {
        kind: 'control_prompt_submitted',
        subject_id: first,
        data: { forced: false, submitted_at_utc: atUtc, turn_id: first },
      },
      {
        kind: 'control_prompt_failed',
        subject_id: first,
        data: {
          turn_id: first,
          outcome: 'replaced',
          finished_at_utc: atUtc,
          error_detail: expect.stringMatching(/forced prompt\.$/),
        },
      },
      {
        kind: 'control_prompt_submitted',
        subject_id: second,
        data: { forced: true, submitted_at_utc: atUtc, turn_id: second },
      },
    ]);
  });

  test('of an end without a reason name the outcome', () => {
    const at = '2026-01-01T00:00:01+00:00';
    expect(directPromptEnded('t', at, { outcome: 'interrupted', error: null })).toMatchObject({
      kind: 'control_prompt_failed',
      data: { error_detail: 'interrupted', outcome: 'interrupted' },
    });
    expect(directPromptEnded('t', at, { outcome: 'completed', error: null })).toEqual({
      kind: 'control_prompt_completed',
      subjectId: 't',
      data: { turn_id: 't', finished_at_utc: at },
    });
  });
});

describe('an agent of this machine', () => {
  test('that ends before it has a forced prompt is reported with both turns', async () => {
    const first = await send('first');
    Object.assign(queue.target, { handsOver: false, signs: failed('No such program.') });
    const answer = send('second', { force: true });
    await queue.target.turns(2);
    queue.target.end();
    const ended = 'turnId' in first ? first.turnId : null;
    expect(await answer).toEqual({
      code: 'dispatch_failed',
      detail: `No such program. Turn ${ended} was ended for it.`,
      begunAs: expect.any(String),
    });
  });
  test('that ends before it has the prompt is reported with its reason', async () => {
    Object.assign(queue.target, { handsOver: false, signs: failed('no such program') });
    const answer = send('x');
    await queue.target.turns(1);
    queue.target.end();
    expect(await answer).toEqual({
      code: 'dispatch_failed',
      detail: 'no such program',
      begunAs: expect.any(String),
    });
  });

  test('that has not started after three seconds has its prompt all the same, and not before', async () => {
    queue.target.handsOver = false;
    let answered = false;
    const answer = send('x').finally(() => {
      answered = true;
    });
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    clock.pass(2999);
    await queue.journal.write(() => undefined);
    expect(answered).toBe(false);
    clock.pass(1);
    expect(await answer).toEqual({ turnId: queue.target.started[0]?.turnId });
  });

  test('whose turn is left before that is known has its prompt: the turn tells the rest', async () => {
    queue.target.handsOver = false;
    const answer = send('x');
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    await queue.turns.leaveRunning();
    expect(await answer).toEqual({ turnId: queue.target.started[0]?.turnId });
  });
});

describe('another server', () => {
  beforeEach(() => {
    Object.assign(queue.target, { remote: true, handsOver: false });
  });

  test('that would not end a turn it never acknowledged is reported as such', async () => {
    queue.turns.interrupt = async () => ({
      outcome: 'failed',
      error: { code: 'peer_refused', detail: 'no' },
    });
    const answer = send('x');
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    clock.pass(20_000);
    const { turnId } = queue.target.started[0] ?? {};
    expect(await answer).toEqual({
      code: 'dispatch_failed',
      begunAs: expect.any(String),
      detail: expect.stringMatching(new RegExp(`; turn ${turnId} could not be stopped either\\.$`)),
    });
  });

  test('that ends a turn without a reason before it had the prompt is reported in our words', async () => {
    queue.target.signs = { ...queue.target.signs, completion: null };
    const begin = queue.turns.begin.bind(queue.turns);
    queue.turns.begin = async (...given) => {
      const begun = await begin(...given);
      return begun && { delivered: Promise.resolve(false), over: Promise.resolve(null) };
    };
    expect(await send('x')).toEqual({
      code: 'dispatch_failed',
      detail: expect.stringMatching(/^The agent ended/),
      begunAs: expect.any(String),
    });
  });

  test('that takes the prompt as the patience ends has it, and has used up the fresh conversation', async () => {
    queue.override.set();
    const delivered = deferred<boolean>();
    const begin = queue.turns.begin.bind(queue.turns);
    queue.turns.begin = async (...given) => {
      const begun = await begin(...given);
      return begun && { ...begun, delivered: delivered.promise };
    };
    queue.turns.interrupt = async () => {
      delivered.resolve(true);
      return { outcome: 'no_op' };
    };
    const answer = send('x');
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    clock.pass(20_000);
    expect(await answer).toEqual({ turnId: queue.target.started[0]?.turnId });
    expect(queue.override.pending).toBeNull();
  });
});
