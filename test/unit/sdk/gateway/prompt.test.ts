import { createGatewayClient, PromptFailed } from '@houmao/sdk';
import { assert, expect, onTestFinished, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, type Handler, serve } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

async function stub(options: StubOptions = {}) {
  const gateway = await startStubGateway(options);
  onTestFinished(() => gateway.close());
  return { gateway, client: createGatewayClient({ baseUrl: gateway.url, timeoutMs: 10_000 }) };
}

test('submits, waits and returns the answer', async () => {
  const { gateway, client } = await stub();
  await expect(client.prompt('Hello')).resolves.toBe('You said: Hello');
  expect(JSON.parse(gateway.received[0]!.body)).toEqual({
    kind: 'submit_prompt',
    payload: { prompt: 'Hello' },
  });
  expect(gateway.received[1]!.url).toMatch(/^\/v1\/requests\/gwreq-[^?]+\?wait_seconds=30$/);
  expect(gateway.received).toHaveLength(2);
});

test('passes on what is said about the prompt', async () => {
  const { gateway, client } = await stub();
  const execution = { model: { name: 'opus' } };
  await client.prompt('Hello', { turnId: 't-1', chatSession: { mode: 'new' }, execution });
  expect(JSON.parse(gateway.received[0]!.body).payload).toEqual({
    prompt: 'Hello',
    turn_id: 't-1',
    chat_session: { mode: 'new' },
    execution,
  });
});

test('tells the record while it waits', async () => {
  const { gateway, client } = await stub();
  const states: string[] = [];
  const onUpdate = ({ state }: { state: string }) => {
    states.push(state);
    gateway.complete(0);
  };
  await client.prompt('forever', { onUpdate });
  expect(states).toEqual(['accepted', 'completed']);
});

test('a turn that failed', async () => {
  const { client } = await stub();
  const error = await caught(client.prompt('please fail'));
  assert(error instanceof PromptFailed);
  expect(error).toMatchObject({
    name: 'PromptFailed',
    status: null,
    errorCode: 'agent_failed',
    detail: expect.stringMatching(/ code 1\.$/),
    record: { state: 'failed', turn: { exit_code: 1 } },
    requestId: error.record.request_id,
    message: expect.stringMatching(/^The prompt brought no answer \(/),
  });
  expect(error).not.toHaveProperty('cause');
});

test('a prompt that was cancelled', async () => {
  const { client } = await stub();
  const onUpdate = ({ request_id, state }: { request_id: string; state: string }) => {
    if (state === 'accepted') void client.cancelRequest({ path: { request_id } });
  };
  const error = await caught(client.prompt('forever', { onUpdate }));
  expect(error).toBeInstanceOf(PromptFailed);
  expect(error).toMatchObject({ errorCode: 'cancelled', operationId: 'submitRequest' });
});

test('a refused prompt', async () => {
  const { client } = await stub();
  const error = await caught(client.prompt(' '));
  expect(error).not.toBeInstanceOf(PromptFailed);
  expect(error).toMatchObject({ status: 422, errorCode: 'validation_failed' });
});

test('lost answers do not lose the prompt, nor give it twice', async () => {
  let calls = 0;
  const { gateway, client } = await stub({
    intercept: ({ method }, res) => {
      calls += 1;
      // The first accept and the first two looks are cut.
      if (method === 'POST' ? calls > 1 : calls > 4) return false;
      res.destroy();
      return true;
    },
  });
  await expect(client.prompt('Hello')).resolves.toBe('You said: Hello');
  expect(gateway.records).toHaveLength(1);
});

test('waits out a restart of the gateway', async () => {
  let away = false;
  let cut = 0;
  let open: Parameters<Handler>[1] | undefined;
  const { gateway, client } = await stub({
    intercept: (_received, res) => {
      open = res;
      if (!away) return false;
      cut += 1;
      const turn = {
        state: 'ended',
        outcome: 'completed',
        answer: { text: 'after the restart', truncated: false },
      };
      if (cut <= 2) res.destroy();
      else res.end(JSON.stringify({ ...gateway.records[0], state: 'completed', turn }));
      return true;
    },
  });
  const answer = client.prompt('forever');
  await expect.poll(() => gateway.received.length).toBe(2);
  away = true;
  open?.destroy();
  await expect(answer).resolves.toBe('after the restart');
  expect(cut).toBe(3);
});

test('its own limit and signal end the waiting, carry the id and say what goes on', async () => {
  const time = ownTime();
  const { gateway, client } = await stub();
  const waiting = caught(client.prompt('forever', { timeoutMs: 600 }));
  await time.until(() => gateway.received.length, 2);
  await time.pass(600);
  const late = await waiting;
  const requestId = gateway.records[0]!.request_id;
  expect(late).toMatchObject({ errorCode: 'timeout', operationId: 'getRequest', requestId });
  expect(late.detail).toBe(
    `No answer within 600 ms. Request ${requestId} is taken: it waits in the queue, or runs by now.`,
  );

  const controller = new AbortController();
  const stopping = caught(client.prompt('forever', { signal: controller.signal }));
  await time.until(() => gateway.received.length, 4);
  controller.abort('enough');
  const aborted = await stopping;
  expect(aborted).toMatchObject({
    errorCode: 'aborted',
    cause: 'enough',
    requestId: gateway.records[1]!.request_id,
    idempotencyKey: null,
  });
  expect(aborted.detail).toMatch(
    /^Stopped waiting. Request gwreq-\S+ is taken: it waits in the queue, or runs by now.$/,
  );
});

test('a signal that fired before sends nothing, and says so', async () => {
  const { gateway, client } = await stub();
  const error = await caught(client.prompt('Hello', { signal: AbortSignal.abort('early') }));
  expect(error).toMatchObject({
    errorCode: 'aborted',
    cause: 'early',
    requestId: null,
    idempotencyKey: null,
  });
  expect(error).toMatchObject({
    sent: false,
    operationId: 'submitRequest',
    detail: 'Stopped waiting. Nothing was queued.',
  });
  expect(gateway.received).toHaveLength(0);
});

test('where nobody listens, nothing was queued', async () => {
  const { gateway, client } = await stub();
  await gateway.close();
  const error = await caught(client.prompt('Hello'));
  expect(error).toMatchObject({ errorCode: 'connection_failed', sent: false, idempotencyKey: null });
});

/** The gateway stores every prompt, and the answers to the first submissions do not come. */
const losingSubmissions = (losses: number, lose: (res: Parameters<Handler>[1]) => void) => {
  let left = losses;
  return async () => {
    const target = await startStubGateway();
    onTestFinished(() => target.close());
    const server = await serve(async ({ method, url, headers, body }, res) => {
      const key = headers['idempotency-key'];
      const given = { ...(key ? { 'Idempotency-Key': String(key) } : {}) };
      const answer = await fetch(target.url + url, { method, headers: given, ...(body ? { body } : {}) });
      const json = await answer.json();
      if (method === 'POST') left -= 1;
      if (method === 'POST' && left >= 0) return lose(res);
      answerJson(res, answer.status, json);
    });
    return {
      records: target.records,
      client: createGatewayClient({ baseUrl: server.url, timeoutMs: 10_000 }),
    };
  };
};

test('a prompt whose submission got no answer can be asked for again, and is queued once', async () => {
  const { records, client } = await losingSubmissions(5, (res) => void res.destroy())();
  const error = await caught(client.prompt('Hello'));
  expect(error).toMatchObject({ errorCode: 'connection_failed', requestId: null, sent: true });
  expect(error.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  expect(error.detail).toContain(error.idempotencyKey);
  const idempotencyKey = error.idempotencyKey!;
  await expect(client.prompt('Hello', { idempotencyKey })).resolves.toBe('You said: Hello');
  expect(records).toHaveLength(1);
});

test('stopped while the submission is on its way, nobody knows whether it was queued', async () => {
  const controller = new AbortController();
  const { records, client } = await losingSubmissions(1, () => controller.abort('enough'))();
  const error = await caught(client.prompt('Hello', { idempotencyKey: 'mine', signal: controller.signal }));
  expect(error).toMatchObject({ errorCode: 'aborted', cause: 'enough', requestId: null, sent: true });
  expect(error).toMatchObject({
    idempotencyKey: 'mine',
    detail: expect.stringMatching(
      /^Stopped waiting\. Whether the prompt was queued is not known\. .+ mine: /,
    ),
  });
  await expect(client.prompt('Hello', { idempotencyKey: 'mine' })).resolves.toBe('You said: Hello');
  expect(records).toHaveLength(1);
});

test('a mistake in onUpdate is the caller’s to see', async () => {
  const { client } = await stub();
  const onUpdate = () => {
    throw new RangeError('mine');
  };
  await expect(client.prompt('Hello', { onUpdate })).rejects.toThrow(RangeError);
});
