import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentInspection } from '../../../src/agent/target/agent-target.js';
import type { DirectPrompt } from '../../../src/dispatch/direct-prompt.js';
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

const prompt = (text: string, change: Partial<DirectPrompt> = {}): DirectPrompt => ({
  prompt: text,
  force: false,
  chatSession: null,
  execution: null,
  ...change,
});
const send = (text: string, change?: Partial<DirectPrompt>) => queue.prompts.send(prompt(text, change));
/** The agent at the next look; an earlier inspection stays as it was. */
const agentIs = (change: Partial<AgentInspection>): void => {
  queue.target.inspection = { ...queue.target.inspection, ...change };
};
const kinds = (): string[] =>
  queue.store
    .prepare<[], { kind: string }>("SELECT kind FROM events WHERE kind LIKE 'control_prompt%' ORDER BY seq")
    .all()
    .map(({ kind }) => kind);
async function sent(text: string, change?: Partial<DirectPrompt>): Promise<string> {
  const answer = await send(text, change);
  if (!('turnId' in answer)) throw new Error(answer.detail);
  return answer.turnId;
}

test('a prompt that is sent has a turn, an event at its beginning and one at its end', async () => {
  const turnId = await sent('now');
  expect(queue.target.started).toMatchObject([{ turnId, prompt: 'now' }]);
  expect(queue.slot.holder).toEqual({ turnId, origin: 'direct' });
  const ended = queue.waiters.wait(turnId, 20_000, new AbortController().signal);
  queue.target.end();
  await ended;
  expect(queue.turnTable.find(turnId)).toMatchObject({ origin: 'direct', outcome: 'completed' });
  expect(kinds()).toEqual(['control_prompt_submitted', 'control_prompt_completed']);
});

test.each([
  ['the agent is not there', () => agentIs({ connected: false }), 'unavailable'],
  ['its surface is not ready', () => agentIs({ surface: 'not_ready' }), 'not_ready'],
  ['requests wait', () => queue.prompt('first'), 'not_ready'],
  ['a turn runs', () => sent('before'), 'not_ready'],
])(
  'is refused while %s, however lately the agent was looked at, and starts nothing',
  async (_when, arrange, code) => {
    await queue.axes.observe();
    await arrange();
    const started = queue.target.started.length;
    expect(await send('too early')).toMatchObject({ code });
    expect(queue.target.started).toHaveLength(started);
  },
);

test('one that follows the end of a turn, which readers see before it is on disk, is sent', async () => {
  const first = await sent('first');
  const { store } = queue;
  const sync = store.sync.bind(store);
  const reached = deferred<void>();
  const goOn = deferred<void>();
  store.sync = async () => {
    reached.resolve();
    await goOn.promise;
    return sync();
  };
  queue.target.end();
  await reached.promise;
  expect(queue.turnTable.find(first)?.state).toBe('ended');
  const second = send('second');
  goOn.resolve();
  expect(await second).toEqual({ turnId: queue.slot.holder?.turnId });
});

test('one that cannot be resolved is refused with that reason, and nothing is claimed', async () => {
  queue.target.refusal = { code: 'missing_current_chat_session', detail: 'none' };
  expect(await send('current')).toEqual(queue.target.refusal);
  expect(queue.slot.free).toBe(true);
  expect(kinds()).toEqual([]);
});

describe('by force', () => {
  test('ends what runs and takes its place', async () => {
    const first = await sent('first');
    const second = await sent('second', { force: true });
    expect(queue.turnTable.find(first)).toMatchObject({ outcome: 'replaced', error_code: 'replaced' });
    expect(queue.slot.holder?.turnId).toBe(second);
    expect(kinds()).toEqual([
      'control_prompt_submitted',
      'control_prompt_failed',
      'control_prompt_submitted',
    ]);
  });

  test('is refused when the agent went while the old turn was being ended', async () => {
    const first = await sent('first');
    queue.target.probe = async () => {
      if (queue.turnTable.find(first)?.state === 'ended') agentIs({ connected: false, detail: 'gone' });
    };
    expect(await send('second', { force: true })).toMatchObject({
      code: 'unavailable',
      detail: expect.stringMatching(`Turn ${first} was ended for it\\.$`),
    });
    expect(queue.turnTable.find(first)?.outcome).toBe('replaced');
    expect(queue.target.started).toHaveLength(1);
    expect(queue.slot.free).toBe(true);
  });

  test('what is refused after the old turn has ended gives its place back', async () => {
    const first = await sent('first');
    const { target } = queue;
    const resolve = target.resolve.bind(target);
    // The first time, the conversation it asks for is there; with the turn that held it, it goes.
    let asked = 0;
    target.resolve = () => {
      asked += 1;
      return asked === 1 ? resolve() : { code: 'missing_current_chat_session', detail: 'gone' };
    };
    expect(await send('second', { force: true })).toEqual({
      code: 'missing_current_chat_session',
      detail: `gone Turn ${first} was ended for it.`,
    });
    expect(queue.turnTable.find(first)?.outcome).toBe('replaced');
    expect(queue.slot.free).toBe(true);
    target.resolve = resolve;
    await sent('third');
  });

  test('what meets a fault after the old turn has ended gives its place back', async () => {
    await sent('first');
    const { target } = queue;
    const resolve = target.resolve.bind(target);
    let asked = 0;
    target.resolve = () => {
      asked += 1;
      if (asked > 1) throw new Error('a fault of ours');
      return resolve();
    };
    await expect(send('second', { force: true })).rejects.toThrow('a fault of ours');
    expect(queue.slot.free).toBe(true);
  });
});

describe('on another server', () => {
  beforeEach(() => {
    queue.target.remote = true;
    queue.target.handsOver = false;
  });

  test('a prompt that its server does not acknowledge in 20 s is withdrawn, so that it is not sent later', async () => {
    const answer = send('into silence');
    await queue.target.turns(1);
    const { turnId = '' } = queue.target.started[0] ?? {};
    // The claim is on disk, and the caller that waits for the word of the server waits.
    await queue.journal.write(() => undefined);
    clock.pass(19_999);
    await queue.journal.write(() => undefined);
    expect(queue.slot.holder?.turnId).toBe(turnId);
    clock.pass(1);
    expect(await answer).toEqual({
      code: 'dispatch_failed',
      begunAs: expect.any(String),
      detail: `The server that runs the agent did not say that it took the prompt; turn ${turnId} was stopped.`,
    });
    expect(queue.turnTable.find(turnId)).toMatchObject({ state: 'ended', outcome: 'interrupted' });
    expect(queue.slot.free).toBe(true);
  });

  test('one that ends as the patience does is reported by its verdict, and not called stopped', async () => {
    queue.target.signs = {
      ...queue.target.signs,
      completion: null,
      reportedOutcome: { outcome: 'failed', error: { code: 'peer_refused', detail: 'no' } },
    };
    const answer = send('in the last moment');
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    clock.pass(20_000);
    queue.target.end();
    expect(await answer).toEqual({ code: 'dispatch_failed', detail: 'no', begunAs: expect.any(String) });
  });

  test('a prompt that its server refuses says why', async () => {
    queue.target.signs = {
      ...queue.target.signs,
      completion: null,
      reportedOutcome: { outcome: 'failed', error: { code: 'peer_refused', detail: 'no' } },
    };
    const answer = send('refused');
    await queue.target.turns(1);
    queue.target.end();
    expect(await answer).toEqual({ code: 'dispatch_failed', detail: 'no', begunAs: expect.any(String) });
  });

  test('the fresh conversation that was asked for is used up only by a prompt that was taken', async () => {
    queue.override.set();
    const answer = send('into silence');
    await queue.target.turns(1);
    await queue.journal.write(() => undefined);
    clock.pass(20_000);
    await answer;
    expect(queue.override.pending).toEqual({ mode: 'new' });
    queue.target.handsOver = true;
    await sent('taken');
    expect(queue.override.pending).toBeNull();
  });

  test('a turn that is left meanwhile is not called stopped', async () => {
    const answer = send('left alone');
    await queue.target.turns(1);
    await queue.turns.leaveRunning();
    expect(await answer).toMatchObject({
      code: 'dispatch_failed',
      detail: expect.stringMatching(/turn \S+ may still run\.$/),
    });
  });
});

test('a prompt whose agent does not start in time is answered as sent: its turn tells the rest', async () => {
  queue.target.handsOver = false;
  const answer = send('slow to start');
  await queue.target.turns(1);
  await queue.journal.write(() => undefined);
  clock.pass(3000);
  expect(await answer).toEqual({ turnId: queue.target.started[0]?.turnId });
});
