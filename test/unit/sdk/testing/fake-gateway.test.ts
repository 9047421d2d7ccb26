import { createGatewayClient, isGatewayError, PromptFailed } from '@houmao/sdk';
import { createFakeGateway } from '@houmao/sdk/testing';
import { assert, expect, test } from 'vitest';
import { caught } from '../caught.js';

function faked() {
  const fake = createFakeGateway();
  return { fake, client: createGatewayClient(fake) };
}

test('a prompt is answered with the contract’s example, and with what the test sets', async () => {
  const { fake, client } = faked();
  expect(await client.prompt('Hello')).toBe('Hello!');
  fake.answerPrompts('Done.');
  expect(await client.prompt('Hello')).toBe('Done.');
  fake.answerPrompts((prompt) => `You said: ${prompt}`);
  expect(await client.prompt('one')).toBe('You said: one');
  const handle = await client.submit('two');
  expect(await handle.answer()).toBe('You said: two');
  expect(await client.request(handle.requestId).answer()).toBe('You said: two');
  expect(await (await client.control('three')).answer()).toBe('You said: three');
  const { requests } = await client.listRequests();
  expect(requests.map(({ prompt_preview, state }) => [prompt_preview, state])).toEqual([
    ['two', 'completed'],
    ['one', 'completed'],
    ['Hello', 'completed'],
    ['Hello', 'completed'],
  ]);
});

test('a turn runs as long as the promise of its answer is pending', async () => {
  const { fake, client } = faked();
  let finish: (text: string) => void = () => undefined;
  fake.answerPrompts(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const handle = await client.submit('Hello');
  expect(await handle.record()).toMatchObject({ state: 'running', turn: { state: 'running', answer: null } });
  const { requestId: request_id } = handle;
  const begun = { path: { request_id }, query: { wait_seconds: 60, wait_until: 'started' } } as const;
  expect(await client.getRequest(begun)).toMatchObject({ state: 'running' });
  expect(await caught(handle.cancel())).toMatchObject({ status: 409, errorCode: 'request_not_waiting' });
  expect(await caught(handle.answer({ timeoutMs: 20 }))).toMatchObject({ errorCode: 'timeout' });
  const answer = handle.answer();
  finish('At last');
  expect(await answer).toBe('At last');
});

test('labels of a prompt are in its records, belong to its key, and are a filter', async () => {
  const { client } = faked();
  const metadata = { ticket: 'HOU-1', note: 'é 🙂' };
  const handle = await client.submit('one', { metadata, idempotencyKey: 'k' });
  expect(await handle.record()).toMatchObject({ metadata, turn: { metadata } });
  expect((await client.submit('one', { metadata, idempotencyKey: 'k' })).requestId).toBe(handle.requestId);
  expect(await caught(client.submit('one', { idempotencyKey: 'k' }))).toMatchObject({
    errorCode: 'key_reused',
  });
  const bare = await client.submit('two');
  expect(await bare.record()).not.toHaveProperty('metadata');
  const direct = await client.control('three', { metadata: { ticket: 'HOU-2' } });
  expect(await direct.record()).toMatchObject({ metadata: { ticket: 'HOU-2' } });
  const found = async (...labels: string[]) =>
    (await client.listRequests({ query: { metadata: labels } })).requests.map(({ request_id }) => request_id);
  expect(await found('ticket=HOU-1')).toEqual([handle.requestId]);
  expect(await found('ticket=HOU-1', 'note=é 🙂')).toEqual([handle.requestId]);
  expect(await found('ticket=HOU-1', 'note=')).toEqual([]);
  expect(await caught(found('ticket'))).toMatchObject({ status: 422 });
  expect(await caught(client.submit('four', { metadata: { 'a b': 'c' } }))).toMatchObject({ status: 422 });
});

test('an interrupt ends the turn that runs, and no later one', async () => {
  const { fake, client } = faked();
  let finish: (text: string) => void = () => undefined;
  const held = () =>
    new Promise<string>((resolve) => {
      finish = resolve;
    });
  fake.answerPrompts(held);
  const interrupt = (headers = {}) =>
    client.submitRequest({ body: { kind: 'interrupt', payload: {} }, headers });
  const handle = await client.submit('Hello');
  const failed = caught(handle.answer());
  const astray = await caught(interrupt({ 'X-Houmao-If-Turn': 'turn-of-before' }));
  expect(astray).toMatchObject({ status: 412, errorCode: 'turn_not_running' });
  expect(await handle.record()).toMatchObject({ state: 'running' });
  const { turn_id } = await interrupt();
  expect(await failed).toMatchObject({ errorCode: 'interrupted' });
  finish('Too late');
  expect(await handle.record()).toMatchObject({
    state: 'failed',
    error: { code: 'interrupted' },
    turn: { turn_id, turn_index: 1, state: 'ended', outcome: 'interrupted', answer: null, exit_code: null },
  });
  const { events } = await client.listEvents();
  expect(events.filter(({ kind }) => kind === 'turn_ended')).toMatchObject([
    { data: { outcome: 'interrupted' } },
  ]);
  expect((await interrupt()).turn_id).toBeNull();
  fake.answerPrompts('Done.');
  expect(await client.prompt('Hello')).toBe('Done.');
});

test('what the agent throws fails the turn', async () => {
  const { fake, client } = faked();
  fake.answerPrompts(() => {
    throw new Error('The compiler is gone.');
  });
  const error = await caught(client.prompt('Hello'));
  assert(error instanceof PromptFailed);
  expect(error).toMatchObject({
    errorCode: 'agent_failed',
    detail: 'The compiler is gone.',
    record: { state: 'failed', turn: { outcome: 'failed', exit_code: 1 } },
  });
});

test('the same idempotency key has one request', async () => {
  const { client } = faked();
  const submission = {
    body: { kind: 'submit_prompt', payload: { prompt: 'Hello' } },
    headers: { 'Idempotency-Key': 'once' },
  } as const;
  const first = await client.submitRequest(submission).withResponse();
  const second = await client.submitRequest(submission).withResponse();
  expect(second.data).toEqual(first.data);
  expect(second.response.headers.get('Idempotency-Replayed')).toBe('true');
  const other = { ...submission, body: { kind: 'submit_prompt', payload: { prompt: 'Bye' } } } as const;
  expect(await caught(client.submitRequest(other))).toMatchObject({ status: 422, errorCode: 'key_reused' });
  expect((await client.listRequests()).requests).toHaveLength(1);
});

test('unknown ids are refused as a gateway refuses them', async () => {
  const { client } = faked();
  const request = await caught(client.getRequest({ path: { request_id: 'gwreq-none' } }));
  expect(request).toMatchObject({ status: 404, errorCode: 'unknown_request' });
  const turn = await caught(client.getTurn({ path: { turn_id: 'turn-none' } }));
  expect(turn).toMatchObject({ status: 404, errorCode: 'unknown_turn' });
});

test('a request that breaks the contract is refused, and says where', async () => {
  const { fake, client } = faked();
  // @ts-expect-error a prompt is missing
  const error = await caught(client.submitRequest({ body: { kind: 'submit_prompt', payload: {} } }));
  expect(error).toMatchObject({
    status: 422,
    errorCode: 'validation_failed',
    detail: 'body.payload.prompt: Field required',
    items: [{ type: 'missing', loc: ['body', 'payload', 'prompt'] }],
  });
  const query = await caught(client.listRequests({ query: { limit: 0 } }));
  expect(query.items.map(({ loc }) => loc)).toEqual([['query', 'limit']]);
  const keyed = client.submitRequest({
    body: { kind: 'interrupt', payload: {} },
    headers: { 'Idempotency-Key': 'ü' },
  });
  expect((await caught(keyed)).items.map(({ loc }) => loc)).toEqual([['header', 'idempotency-key']]);
  expect(fake.calls.map(({ operationId, status }) => [operationId, status])).toEqual([
    ['submitRequest', 422],
    ['listRequests', 422],
    ['submitRequest', 422],
  ]);
});

test('a test sets answers, checked at once, also refusals with their code', async () => {
  const { fake, client } = faked();
  const status = await client.getStatus();
  fake.answer('getStatus', { body: { ...status, queue_depth: 7 } });
  expect((await client.getStatus()).queue_depth).toBe(7);

  fake.answer('cancelRequest', { status: 409, body: { detail: 'It runs already.' } });
  const refused = await caught(client.cancelRequest({ path: { request_id: 'gwreq-1' } }));
  assert(isGatewayError(refused, 'cancelRequest'));
  expect(refused).toMatchObject({ errorCode: 'request_not_waiting', detail: 'It runs already.' });

  // @ts-expect-error the contract has more of a status
  expect(() => fake.answer('getStatus', { body: { queue_depth: 7 } })).toThrow(
    /^The fake's answer 200 to getStatus breaks the contract: body must have required property 'schema_version'/,
  );
  const surplus = { ...status, mood: 'good' };
  expect(() => fake.answer('getStatus', { body: surplus })).toThrow(
    'breaks the contract: body must NOT have additional properties (mood)',
  );
  // @ts-expect-error a look at the status is never a conflict
  expect(() => fake.answer('getStatus', { status: 409, body: { detail: 'No.' } })).toThrow(
    /The fake's answer 409 to getStatus breaks the contract: it has 200, /,
  );
  // @ts-expect-error there is no such operation
  expect(() => fake.answer('getMood', { body: {} })).toThrow('The contract has no operation getMood.');
});

test('an answer that depends on the call is checked when it is given', async () => {
  const { fake, client } = faked();
  const status = await client.getStatus();
  let depth = 0;
  fake.answer('getStatus', () => ({ body: { ...status, queue_depth: depth++ } }));
  expect([(await client.getStatus()).queue_depth, (await client.getStatus()).queue_depth]).toEqual([0, 1]);
  fake.answer('getStatus', () => ({ body: { ...status, queue_depth: -1 } }));
  expect(await caught(client.getStatus())).toMatchObject({
    status: 500,
    detail: "The fake's answer 200 to getStatus breaks the contract: body.queue_depth must be >= 0.",
  });
  fake.answer('submitRequest', ({ body }) => ({
    status: 503,
    body: { detail: `Not now: ${body.kind}` },
  }));
  const error = await caught(
    client.submitRequest({ body: { kind: 'interrupt', payload: {} }, maxRetries: 0 }),
  );
  expect(error).toMatchObject({ status: 503, detail: 'Not now: interrupt' });
});

test('what an answer throws is a connection that breaks', async () => {
  const { fake, client } = faked();
  fake.answer('getStatus', () => {
    throw new Error('socket hang up');
  });
  const error = await caught(client.getStatus({ maxRetries: 0 }));
  expect(error).toMatchObject({ status: null, errorCode: 'connection_failed' });
  expect(error.detail).toContain('socket hang up');
});

test('calls tell what came: parameters as the contract types them, headers, body, status', async () => {
  const { fake, client } = faked();
  await client.listEvents({ query: { after: 0, wait_seconds: 0 } });
  await client.updateQueue({ body: { paused: true } });
  await client.GET('/v1/nowhere' as '/v1/status');
  expect(fake.calls).toMatchObject([
    {
      operationId: 'listEvents',
      method: 'GET',
      path: '/v1/events?after=0&wait_seconds=0',
      status: 200,
      parameters: { path: {}, query: { after: 0, wait_seconds: 0 } },
      body: undefined,
    },
    { operationId: 'updateQueue', method: 'PUT', path: '/v1/control/queue', body: { paused: true } },
    { operationId: null, path: '/v1/nowhere', status: 404 },
  ]);
  expect(fake.calls[1]!.headers.get('Content-Type')).toBe('application/json');
});

test('a loop over the events ends with the turn that it waits for, also where it began before', async () => {
  const { client } = faked();
  const seen = async () => {
    const kinds: string[] = [];
    for await (const event of client.events({ after: 0 })) {
      kinds.push(event.kind);
      if (event.kind === 'turn_ended') return kinds;
    }
    return kinds;
  };
  const before = seen();
  await client.prompt('Hello');
  const kinds = ['accepted', 'request_started', 'turn_claimed', 'turn_handed_over', 'turn_confirmed'];
  expect(await before).toEqual([...kinds, 'turn_ended']);
  expect(await seen()).toEqual(await before);
});

test('events come in pages, and one beyond the last is refused', async () => {
  const { client } = faked();
  expect(await client.listEvents()).toMatchObject({ events: [], next_after: 0 });
  await client.prompt('Hello');
  const page = await client.listEvents({ query: { limit: 3 } });
  expect([page.events.map(({ seq }) => seq), page.next_after]).toEqual([[1, 2, 3], 3]);
  const rest = await client.listEvents({ query: { after: 3 } });
  expect(rest.events.map(({ kind }) => kind)).toEqual([
    ...['turn_handed_over', 'turn_confirmed', 'turn_ended', 'completed'],
  ]);
  const beyond = await caught(client.listEvents({ query: { after: 8 } }));
  expect(beyond).toMatchObject({ status: 410, errorCode: 'no_such_event' });
});

test('two fakes have nothing in common', async () => {
  const [one, other] = [faked(), faked()];
  one.fake.answerPrompts('one');
  await one.client.prompt('Hello');
  expect(await other.client.prompt('Hello')).toBe('Hello!');
  expect([one.fake.calls.length, other.fake.calls.length]).toEqual([2, 2]);
});
