import { createHoumaoClient, HoumaoError, type Schemas, TurnFailed } from '@houmao/sdk/managed-agent';
import { assert, expect, onTestFinished, test } from 'vitest';
import { answerJson } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubServer } from './stub-server.js';

async function stub(options: StubOptions = {}) {
  const server = await startStubServer(options);
  onTestFinished(() => server.close());
  return { server, alpha: createHoumaoClient({ baseUrl: server.url, timeoutMs: 600_000 }).agent('alpha') };
}
async function caught(call: Promise<unknown>): Promise<HoumaoError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof HoumaoError, `expected a HoumaoError, got ${String(error)}`);
  return error;
}

test('a prompt is given once, and its answer is that of its turn', async () => {
  const { server, alpha } = await stub();
  await expect(alpha.prompt('Hello')).resolves.toBe('You said: Hello');
  expect(server.turns).toHaveLength(1);
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /houmao/agents/alpha/requests',
    'GET /houmao/agents/alpha/turns/turn-0/record?wait_seconds=30',
  ]);
});

test('model and key go with it, and its progress is reported', async () => {
  const { server, alpha } = await stub();
  const seen: string[] = [];
  const execution = { model: { name: 'opus' } };
  const onUpdate = ({ state }: Schemas['TurnRecord']) => {
    seen.push(state);
    server.complete(0);
  };
  await alpha.prompt('forever', { execution, idempotencyKey: 'mine', onUpdate });
  const [first] = server.received;
  expect(JSON.parse(first!.body)).toEqual({ request_kind: 'submit_prompt', prompt: 'forever', execution });
  expect(first!.headers['idempotency-key']).toBe('mine');
  expect(seen).toEqual(['running', 'ended']);
});

test('a prompt that waits in the queue of a gateway is waited for', async () => {
  const { server, alpha } = await stub({ queues: true });
  const answer = alpha.prompt('Hello', { onUpdate: () => undefined });
  await expect.poll(() => server.received.some(({ url }) => url.includes('/gateway/requests/'))).toBe(true);
  expect(server.turns).toEqual([]);
  server.beginQueued();
  await expect(answer).resolves.toBe('You said: Hello');
});

test('a caller that stops waiting for one in that queue learns that it was queued, not that its turn goes on', async () => {
  const { server, alpha } = await stub({ queues: true });
  const controller = new AbortController();
  const seen: string[] = [];
  const onQueued = ({ request_id, state }: Schemas['RequestRecord']): void => {
    seen.push(`${request_id} ${state}`);
    controller.abort();
  };
  const error = await caught(alpha.prompt('Hello', { signal: controller.signal, onQueued }));
  expect([error.errorCode, error.requestId, error.turnId, error.detail]).toEqual([
    ...['aborted', 'gwreq-1', 'turn-0'],
    'Stopped waiting. The prompt was queued as request gwreq-1, to run as turn turn-0.',
  ]);
  expect([seen, server.turns]).toEqual([['gwreq-1 accepted'], []]);
});

test('onQueued is called at once, also where a limit ends the waiting soon after', async () => {
  // A look at the queue comes back when something happens there, or at the end of its wait.
  const isWait = (url: string) => /gateway\/requests\/.*wait_seconds=[1-9]/.test(url);
  const time = ownTime();
  const { alpha } = await stub({ queues: true, intercept: ({ url }) => isWait(url) });
  const queued: string[] = [];
  const late = caught(
    alpha.prompt('Hello', { timeoutMs: 1000, onQueued: ({ request_id }) => queued.push(request_id) }),
  );
  await time.until(() => queued.length, 1);
  await time.pass(1000);
  const error = await late;
  expect(error).toMatchObject({ errorCode: 'timeout', requestId: 'gwreq-1' });
  expect(queued).toEqual(['gwreq-1']);
});

test('one that is taken out of that queue has failed', async () => {
  const { server, alpha } = await stub({ queues: true });
  const call = caught(alpha.prompt('Hello'));
  await expect.poll(() => server.received.some(({ url }) => url.includes('/gateway/requests/'))).toBe(true);
  server.cancelQueued();
  const error = await call;
  assert(error instanceof TurnFailed);
  expect([error.turn, error.request?.state, error.errorCode, error.detail]).toEqual([
    null,
    'cancelled',
    'cancelled',
    'Request gwreq-1 ended as cancelled.',
  ]);
});

test('a turn that failed is a TurnFailed with the turn', async () => {
  const { alpha } = await stub();
  const error = await caught(alpha.prompt('please fail'));
  assert(error instanceof TurnFailed);
  expect(error).not.toHaveProperty('cause');
  expect([error.name, error.status, error.errorCode, error.turnId, error.turn?.outcome]).toEqual([
    'TurnFailed',
    null,
    'agent_failed',
    'turn-0',
    'failed',
  ]);
});

test('a refused prompt is the refusal, and nothing was prompted', async () => {
  const { server, alpha } = await stub();
  const error = await caught(alpha.prompt('refuse'));
  expect([error.status, error.errorCode, error.detail, error.operationId]).toEqual([
    409,
    'http_409',
    'It works.',
    'submitAgentRequest',
  ]);
  expect([error.turnId, error.idempotencyKey, server.turns.length]).toEqual([null, null, 0]);
});

test('a lost answer is asked for again with the same key, and the agent is prompted once', async () => {
  let lose = 2;
  const { server, alpha } = await stub({
    intercept: ({ method }, res) => {
      if (method !== 'POST' || lose === 0) return false;
      lose -= 1;
      res.destroy();
      return true;
    },
  });
  await expect(alpha.prompt('Hello')).resolves.toBe('You said: Hello');
  const keys = server.received
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size, server.turns.length]).toEqual([3, 1, 1]);
});

test('when every answer is lost, the error has the key to ask again with', async () => {
  const { alpha } = await stub({ intercept: (_received, res) => Boolean(res.destroy()) });
  const error = await caught(alpha.prompt('Hello'));
  expect([error.errorCode, error.turnId]).toEqual(['connection_failed', null]);
  expect(error.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  expect(error.detail).toContain(error.idempotencyKey);
});

test('a limit or a signal ends the waiting; the turn goes on, and its answer is there later', async () => {
  const time = ownTime();
  const { server, alpha } = await stub({ turnMs: 1500 });
  const late = caught(alpha.prompt('Hello', { timeoutMs: 900 }));
  await time.until(() => server.received.length, 2);
  await time.pass(900);
  const error = await late;
  expect([error.errorCode, error.turnId, error.detail]).toEqual([
    'timeout',
    'turn-0',
    'No answer within 900 ms. Turn turn-0 goes on.',
  ]);
  const signal = AbortSignal.abort('enough');
  expect(await caught(alpha.turn('turn-0').answer({ signal }))).toMatchObject({
    errorCode: 'aborted',
    cause: 'enough',
    turnId: 'turn-0',
    detail: 'Stopped waiting. The state of turn turn-0 is not known.',
  });
  expect(await time.passWhile(alpha.turn('turn-0').answer())).toBe('You said: Hello');
  expect(server.turns).toHaveLength(1);
});

test('a server that stops and comes again is borne, one that stays silent is not', async () => {
  const time = ownTime();
  let down = true;
  const { server, alpha } = await stub({
    intercept: ({ url }, res) => {
      if (!down || !url.includes('/record')) return false;
      answerJson(res, 503, { detail: 'The server is stopping.' });
      return true;
    },
  });
  const error = await caught(time.passWhile(alpha.prompt('Hello', { silenceMs: 600 })));
  expect([error.errorCode, error.turnId]).toEqual(['connection_failed', 'turn-0']);
  expect(error.detail).toMatch(
    /^The server has been silent for \d+ s \(The server is stopping\.\) Turn turn-0 ran when the server last answered/,
  );
  const asked = server.received.length;
  const answer = alpha.turn('turn-0').answer({ silenceMs: 60_000 });
  await time.passUntil(() => server.received.length, asked + 2);
  down = false;
  expect(await time.passWhile(answer)).toBe('You said: Hello');
});

test('a turn that nobody knows is a 404 with its id', async () => {
  const { alpha } = await stub();
  expect(await caught(alpha.turn('turn-9').answer())).toMatchObject({ status: 404, turnId: 'turn-9' });
});

test('a call to a server that names no turn fails at once with that reason', async () => {
  const { alpha } = await stub();
  expect(await caught(alpha.prompt('nameless'))).toMatchObject({ errorCode: 'invalid_answer', status: 200 });
});

test.each([
  ['timeoutMs', { timeoutMs: 0 }],
  ['silenceMs', { silenceMs: -1 }],
])('an impossible %s is a mistake in the call, before anything is sent', async (_name, options) => {
  const { server, alpha } = await stub();
  await expect(alpha.prompt('Hello', options)).rejects.toThrow(RangeError);
  expect(server.received).toEqual([]);
});
