import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DirectPrompt } from '../../../../src/dispatch/direct-prompt.js';
import { KeyedPrompts } from '../../../../src/gateway/control/keyed-prompts.js';
import { IdempotencyKeys } from '../../../../src/storage/idempotency-keys.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
let notStored: unknown[];
beforeEach(async () => {
  notStored = [];
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

/** Of this gateway, or of the next one over the same queue. */
const keyed = (typed = false): KeyedPrompts =>
  new KeyedPrompts({
    journal: queue.journal,
    prompts: queue.prompts,
    keys: new IdempotencyKeys(queue.store, 'direct_prompt'),
    turns: queue.turnTable,
    typed,
    clock,
    notStored: (error) => void notStored.push(error),
  });
const prompt = (text: string, force = false): DirectPrompt => ({
  prompt: text,
  force,
  chatSession: null,
  execution: null,
});
/** Has a turn on record stand as a gateway left it that died before it answered. */
const stands = (turnId: string, delivery: string, state: string, detail: string | null = null): void => {
  queue.store.prepare('UPDATE idempotency_keys SET answer_json = NULL').run();
  queue.store
    .prepare<[string, string, string | null, string]>(
      'UPDATE turns SET delivery_state = ?, state = ?, error_detail = ? WHERE turn_id = ?',
    )
    .run(delivery, state, detail, turnId);
};
async function sent(prompts: KeyedPrompts, key: string): Promise<string> {
  const answer = await prompts.send(prompt('now'), key);
  if (!('turnId' in answer)) throw new Error(JSON.stringify(answer));
  return answer.turnId;
}

test('a prompt that comes again is sent once, also by the next gateway; without a key it is another one', async () => {
  const turnId = await sent(keyed(), 'k');
  const ended = queue.waiters.wait(turnId, 20_000, new AbortController().signal);
  queue.target.end();
  await ended;
  expect(await keyed().send(prompt('now'), 'k')).toEqual({ turnId, replayed: true });
  expect(await keyed().send(prompt('now', true), 'k')).toEqual({ otherBody: true });
  expect(await keyed().send(prompt('later'), 'k')).toEqual({ otherBody: true });
  expect(queue.target.started).toHaveLength(1);
  const other = await keyed().send(prompt('now'), null);
  expect(other).toMatchObject({ replayed: false });
  expect(queue.target.started).toHaveLength(2);
});

test('two at once are one, by force, too: neither takes the place of the other', async () => {
  const prompts = keyed();
  const both = await Promise.all([
    prompts.send(prompt('now', true), 'k'),
    prompts.send(prompt('now', true), 'k'),
  ]);
  expect(both.map((one) => 'replayed' in one && one.replayed)).toEqual([false, true]);
  expect(queue.target.started).toHaveLength(1);
});

test('one that is refused before its turn uses up no key', async () => {
  await sent(keyed(), 'first');
  expect(await keyed().send(prompt('too early'), 'k')).toMatchObject({ code: 'not_ready' });
  expect(await keyed().send(prompt('by force', true), 'k')).toMatchObject({ replayed: false });
});

test('a failure is reported as that, with its turn', async () => {
  const turnId = await sent(keyed(), 'k');
  stands(turnId, 'unconfirmed', 'ended', 'Nobody can tell.');
  expect(await keyed().send(prompt('now'), 'k')).toEqual({
    code: 'dispatch_failed',
    begunAs: turnId,
    outcomeUnknown: true,
    detail: `Nobody can tell. See turn ${turnId}.`,
  });
});

test('one that is still being typed is waited for, and is unknown after that', async () => {
  const turnId = await sent(keyed(), 'k');
  stands(turnId, 'handed_over', 'running');
  const answer = keyed(true).send(prompt('now'), 'k');
  clock.pass(50);
  stands(turnId, 'confirmed', 'running');
  expect(await clock.passUntil(answer, 50)).toEqual({ turnId, replayed: true });
  stands(turnId, 'handed_over', 'running');
  const silent = keyed(true).send(prompt('now'), 'k');
  expect(await clock.passUntil(silent, 50)).toEqual({
    code: 'unavailable',
    begunAs: turnId,
    outcomeUnknown: true,
    detail: expect.stringMatching(new RegExp(`not known yet; look up turn ${turnId}\\.`)),
  });
});

test('a refusal after its turn began is answered again, too', async () => {
  queue.target.handsOver = false;
  const prompts = keyed();
  const failing = prompts.send(prompt('now'), 'k');
  await queue.target.turns(1);
  queue.target.signs = { ...queue.target.signs, completion: null, exitCode: 1 };
  queue.target.end();
  const answer = await failing;
  expect(answer).toMatchObject({ code: 'dispatch_failed' });
  expect(await keyed().send(prompt('now'), 'k')).toEqual(answer);
  expect(queue.target.started).toHaveLength(1);
});

test('an answer that cannot be stored is given all the same, and the obstacle is reported', async () => {
  const allow = queue.refuse('UPDATE ON idempotency_keys');
  const turnId = await sent(keyed(), 'k');
  expect(notStored).toHaveLength(1);
  allow();
  expect(await keyed().send(prompt('now'), 'k')).toEqual({ turnId, replayed: true });
});
