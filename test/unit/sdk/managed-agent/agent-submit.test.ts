import { createHoumaoClient, HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, onTestFinished, test } from 'vitest';
import { answerJson } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubServer } from './stub-server.js';

async function stub(options: StubOptions = {}) {
  const server = await startStubServer(options);
  onTestFinished(() => server.close());
  return { server, alpha: createHoumaoClient({ baseUrl: server.url, timeoutMs: 600_000 }).agent('alpha') };
}
const failure = (call: Promise<unknown>): Promise<HoumaoError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: HoumaoError) => error,
  );

test('a handle has the turn, and gives its record and answer', async () => {
  const { server, alpha } = await stub();
  const turn = await alpha.submit('Hello', { idempotencyKey: 'mine' });
  expect([turn.turnId, turn.requestId]).toEqual(['turn-0', null]);
  expect(server.received[0]!.headers['idempotency-key']).toBe('mine');
  expect(await turn.record()).toMatchObject({ turn_id: 'turn-0' });
  await expect(turn.answer()).resolves.toBe('You said: Hello');
});

test('a submission that is not to be repeated is sent once', async () => {
  const { server, alpha } = await stub({
    intercept: (_request, res) => {
      res.destroy();
      return true;
    },
  });
  expect(await failure(alpha.submit('Hello', { maxRetries: 0 }))).toMatchObject({
    errorCode: 'connection_failed',
  });
  expect(server.received).toHaveLength(1);
});

test('a prompt in the queue of a gateway is found again by both ids, before its turn has begun', async () => {
  const { server, alpha } = await stub({ queues: true });
  const { turnId, requestId } = await alpha.submit('Hello');
  expect([turnId, requestId]).toEqual(['turn-0', 'gwreq-1']);
  expect(await failure(alpha.turn(turnId, requestId).record())).toMatchObject({
    status: 404,
    turnId,
    requestId,
  });
  const answer = alpha.turn(turnId, requestId).answer();
  await expect.poll(() => server.received.some(({ url }) => url.includes('/gateway/requests/'))).toBe(true);
  server.beginQueued();
  await expect(answer).resolves.toBe('You said: Hello');
});

test('a prompt in the queue of a gateway is found by its turn alone, whose request the server names', async () => {
  const { server, alpha } = await stub({ queues: true });
  const { turnId } = await alpha.submit('Hello');
  expect(await failure(alpha.turn(turnId).record())).toMatchObject({ status: 404, requestId: 'gwreq-1' });
  const states: string[] = [];
  const answer = alpha.turn(turnId).answer({ onQueued: ({ state }) => states.push(state) });
  await expect.poll(() => states).toContain('accepted');
  server.beginQueued();
  await expect(answer).resolves.toBe('You said: Hello');
  const other = await alpha.submit('Bye', { idempotencyKey: 'other' });
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = alpha.turn(other.turnId).answer({ signal, onQueued: () => leaving.abort() });
  const stopped = await failure(left);
  expect(stopped).toMatchObject({ errorCode: 'aborted', turnId: other.turnId, requestId: 'gwreq-1' });
  server.cancelQueued();
  expect(await failure(alpha.turn(other.turnId).answer())).toMatchObject({
    name: 'TurnFailed',
    errorCode: 'cancelled',
    request: { request_id: 'gwreq-1' },
  });
});

test('a refusal names the turn on which the agent works', async () => {
  const { alpha } = await stub({
    intercept: (_received, res) => {
      answerJson(res, 409, { detail: 'It works.' }, { 'X-Houmao-Active-Turn-Id': 'turn-9' });
      return true;
    },
  });
  expect(await failure(alpha.prompt('Hello'))).toMatchObject({ activeTurnId: 'turn-9', turnId: null });
});

test('without a limit a silence is waited out, and reported', async () => {
  const time = ownTime();
  let away = false;
  const { alpha } = await stub({
    turnMs: 100,
    intercept: (_received, res) => {
      if (away) res.destroy();
      return away;
    },
  });
  const turn = await alpha.submit('Hello');
  away = true;
  const seconds: number[] = [];
  const answer = turn.answer({ onSilence: ({ forMs }) => seconds.push(forMs) });
  await time.passUntil(() => seconds.length > 0, true);
  expect(seconds[0]).toBeGreaterThanOrEqual(2000);
  away = false;
  expect(await time.passWhile(answer)).toBe('You said: Hello');
});

test.each(['turns', 'gateway/requests'])(
  'a state of %s that is not known here ends the waiting',
  async (kind) => {
    const { alpha } = await stub({
      queues: kind !== 'turns',
      intercept: ({ method, url }, res) => {
        if (method !== 'GET' || !url.includes(`/${kind}/`)) return false;
        const ids = { turn_id: 'turn-0', request_id: 'gwreq-1' };
        answerJson(res, 200, {
          ...ids,
          state: 'archived',
          outcome: null,
          answer: null,
          error: null,
          turn: null,
        });
        return true;
      },
    });
    const error = await failure((await alpha.submit('Hello')).answer());
    expect(error).toBeInstanceOf(HoumaoError);
    expect(error).toMatchObject({ errorCode: 'unknown_state', name: 'TurnFailed' });
    expect(error.detail).toContain('is in the state `archived`');
  },
);
