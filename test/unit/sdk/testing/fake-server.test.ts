import {
  createHoumaoClient,
  HoumaoError,
  isHoumaoError,
  PromptFailed,
  TurnFailed,
} from '@houmao/sdk/managed-agent';
import { createFakeServer } from '@houmao/sdk/testing';
import { assert, expect, test } from 'vitest';

function faked() {
  const fake = createFakeServer();
  const client = createHoumaoClient(fake);
  return { fake, client, alpha: client.agent('alpha') };
}

async function caught(call: Promise<unknown>): Promise<HoumaoError> {
  const error = await call.catch((reason: unknown) => reason);
  assert(error instanceof HoumaoError, `expected a HoumaoError, got ${String(error)}`);
  return error;
}

test('a prompt is answered with the contract’s example, and with what the test sets, by each agent for itself', async () => {
  const { fake, client, alpha } = faked();
  expect(await alpha.prompt('Hello')).toBe('Hello!');
  fake.answerPrompts('Done.');
  expect(await alpha.prompt('Hello')).toBe('Done.');
  fake.answerPrompts((prompt, agentRef) => `${agentRef} received: ${prompt}`);
  const turn = await client.agent('beta').submit('one');
  expect(await turn.answer()).toBe('beta received: one');
  expect(await client.agent('beta').turn(turn.turnId, turn.requestId).answer()).toBe('beta received: one');
  expect(await turn.record()).toMatchObject({ turn_id: turn.turnId, state: 'ended', outcome: 'completed' });
  const requests = async (ref: string) => (await client.agent(ref).gateway.listRequests()).requests;
  expect((await requests('alpha')).map(({ prompt_preview }) => prompt_preview)).toEqual(['Hello', 'Hello']);
  expect(await requests('beta')).toMatchObject([{ request_id: turn.requestId, state: 'completed' }]);
  const outcomes = (outcome: 'completed' | 'failed') =>
    client.agent('beta').gateway.listRequests({ query: { outcome } });
  expect((await outcomes('completed')).requests).toHaveLength(1);
  expect((await outcomes('failed')).requests).toEqual([]);
});

test('turns of headless agents are shown as they stand, with their events', async () => {
  const { fake, alpha } = faked();
  let finish: (text: string) => void = () => undefined;
  fake.answerPrompts(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const { turn_id, turn_index, tracked_agent_id } = await alpha.createTurn({ body: { prompt: 'Hello' } });
  expect({ turn_index, tracked_agent_id }).toEqual({ turn_index: 1, tracked_agent_id: 'alpha' });
  const path = { turn_id };
  expect(await alpha.getTurn({ path })).toMatchObject({ status: 'active', stdout_path: null, turn_id });
  expect(await alpha.getTurnEvents({ path })).toMatchObject({ entries: [] });
  const ended = alpha.getTurn({ path, query: { wait_seconds: 10 } });
  finish('At last');
  expect(await ended).toMatchObject({ status: 'completed', returncode: 0, turn_index: 1 });
  expect(await alpha.getTurnEvents({ path })).toMatchObject({
    entries: [{ message: 'At last', turn_index: 1 }],
  });
  expect(await alpha.getTurnRecord({ path })).toMatchObject({ answer: { text: 'At last' } });
});

test('what the agent throws fails the turn', async () => {
  const { fake, alpha } = faked();
  fake.answerPrompts(() => {
    throw new Error('The compiler is gone.');
  });
  const error = await caught(alpha.prompt('Hello'));
  assert(error instanceof TurnFailed);
  expect(error).toMatchObject({ errorCode: 'agent_failed', turn: { outcome: 'failed', exit_code: 1 } });
  const path = { turn_id: error.turnId! };
  expect(await alpha.getTurn({ path })).toMatchObject({ status: 'failed', error: 'The compiler is gone.' });
});

test('the same key has one turn, of each agent, and another body is refused', async () => {
  const { client, alpha } = faked();
  const call = { body: { prompt: 'Hello' }, headers: { 'Idempotency-Key': 'once' } };
  const first = await alpha.createTurn(call);
  const again = await alpha.createTurn(call).withResponse();
  expect(again.data).toEqual(first);
  expect(again.response.headers.get('Idempotency-Replayed')).toBe('true');
  await client.agent('beta').createTurn(call);
  expect(await caught(alpha.createTurn({ ...call, body: { prompt: 'Bye' } }))).toMatchObject({
    status: 422,
    errorCode: 'key_reused',
  });
  expect((await alpha.gateway.listRequests()).requests).toHaveLength(1);
});

test('the gateway of an agent has the methods of a gateway’s own fake', async () => {
  const { fake, alpha } = faked();
  fake.answerPrompts((prompt) => `You said: ${prompt}`);
  const { request_id } = await alpha.gateway.submitRequest({
    body: { kind: 'submit_prompt', payload: { prompt: 'one' } },
  });
  const record = await alpha.gateway.getRequest({ path: { request_id }, query: { wait_seconds: 10 } });
  expect(record).toMatchObject({ state: 'completed', turn: { answer: { text: 'You said: one' } } });
  expect(await caught(alpha.gateway.cancelRequest({ path: { request_id } }))).toMatchObject({
    status: 409,
    errorCode: 'request_not_waiting',
  });
  await alpha.gateway.controlPrompt({ body: { prompt: 'two' } });
  const kinds: string[] = [];
  for await (const event of alpha.gateway.events()) {
    kinds.push(event.kind);
    if (event.kind === 'control_prompt_completed') break;
  }
  expect(kinds.filter((kind) => kind === 'turn_ended')).toHaveLength(2);
  expect((await alpha.gateway.getStatus()).gateway_health).toBe('healthy');
});

test('the gateway of an agent is the client of a gateway there, too', async () => {
  const { fake, alpha } = faked();
  fake.answerPrompts((prompt, agentRef) => `${agentRef} was asked: ${prompt}`);
  expect(await alpha.gateway.prompt('one')).toBe('alpha was asked: one');
  const { requestId } = await alpha.gateway.submit('two');
  expect(await alpha.gateway.request(requestId).answer()).toBe('alpha was asked: two');
  const turn = await alpha.gateway.control('three');
  expect(await alpha.gateway.turn(turn.turnId).answer()).toBe('alpha was asked: three');
  const listed: string[] = [];
  for await (const { prompt_preview } of alpha.gateway.requests()) listed.push(prompt_preview ?? '');
  expect(listed).toEqual(['two', 'one']);
  fake.answerPrompts(() => {
    throw new Error('The compiler is gone.');
  });
  const error = await caught(alpha.gateway.prompt('four'));
  assert(error instanceof PromptFailed);
  expect(error).toMatchObject({ errorCode: 'agent_failed', operationId: 'submitGatewayRequest' });
  expect(error.record.turn?.outcome).toBe('failed');
});

test('unknown turns and requests are refused as a server refuses them', async () => {
  const { alpha } = faked();
  const path = { turn_id: 'turn-none' };
  for (const call of [
    alpha.getTurn({ path }),
    alpha.getTurnRecord({ path }),
    alpha.getTurnEvents({ path }),
  ]) {
    expect(await caught(call)).toMatchObject({ status: 404, errorCode: 'unknown_turn' });
  }
  const request = alpha.gateway.getRequest({ path: { request_id: 'gwreq-none' } });
  expect(await caught(request)).toMatchObject({ status: 404, errorCode: 'unknown_request' });
});

test('an interrupt finds nothing, until the test says otherwise', async () => {
  const { fake, alpha } = faked();
  const interrupt = { body: { request_kind: 'interrupt' } } as const;
  expect(await alpha.submitAgentRequest(interrupt)).toMatchObject({
    disposition: 'no_op',
    request_kind: 'interrupt',
    tracked_agent_id: 'alpha',
  });
  fake.answer('submitAgentRequest', ({ parameters }) => ({
    status: 404,
    errorCode: 'unknown_agent',
    body: { detail: `No agent ${parameters.path.agent_ref}.` },
  }));
  const error = await caught(alpha.submitAgentRequest(interrupt));
  assert(isHoumaoError(error, 'submitAgentRequest'));
  expect(error).toMatchObject({ errorCode: 'unknown_agent', detail: 'No agent alpha.' });
});

test('every other operation answers its example, and what breaks the contract is refused', async () => {
  const { fake, client } = faked();
  expect((await client.listAgents()).agents.length).toBeGreaterThan(0);
  expect(await client.getHealth()).toMatchObject({ status: 'ok' });
  const stdout = client.agent('alpha').getTurnStdout({ path: { turn_id: 'turn-1' } });
  expect(await stdout).toContain('"type":"system"');
  // @ts-expect-error a prompt is missing
  const wrong = await caught(client.agent('alpha').createTurn({ body: {} }));
  expect(wrong.items.map(({ loc }) => loc)).toEqual([['body', 'prompt']]);
  expect(fake.calls.map(({ operationId, status }) => [operationId, status])).toEqual([
    ['listAgents', 200],
    ['getHealth', 200],
    ['getTurnStdout', 200],
    ['createTurn', 422],
  ]);
});
