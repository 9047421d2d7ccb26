// How a queued prompt is waited for when the gateway answers late, not at all, or what nobody expected.
import { createGatewayClient, PromptFailed } from '@houmao/sdk';
import { assert, expect, onTestFinished, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, type Handler } from '../local-server.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

async function stub(options: StubOptions = {}) {
  const gateway = await startStubGateway(options);
  onTestFinished(() => gateway.close());
  return { gateway, client: createGatewayClient({ baseUrl: gateway.url, timeoutMs: 500 }) };
}

/** Looks that get no answer, as many as `lost(look)` says; looks are counted from 1. */
const losingLooks = (lost: (look: number, res: Parameters<Handler>[1]) => boolean) => {
  let looks = 0;
  return ({ method }: { method: string }, res: Parameters<Handler>[1]) => {
    if (method !== 'GET') return false;
    looks += 1;
    return lost(looks, res);
  };
};
const cut = (res: Parameters<Handler>[1]) => {
  res.destroy();
  return true;
};

test('a silent gateway ends the waiting with the id and with what is known', async () => {
  const { gateway, client } = await stub({ intercept: losingLooks((_look, res) => cut(res)) });
  const error = await caught(client.prompt('forever', { silenceMs: 300 }));
  const requestId = gateway.records[0]!.request_id;
  expect(error).toMatchObject({ errorCode: 'connection_failed', operationId: 'getRequest', requestId });
  expect(error.detail).toMatch(/^The gateway has been silent for \d+ s \(No answer from http:.*\) /);
  expect(error.detail).toContain(
    `Request ${requestId} was accepted when the gateway last answered; how it stands now is not known.`,
  );
  expect(error.cause).toMatchObject({ name: 'GatewayError', errorCode: 'connection_failed' });
  expect(gateway.records).toHaveLength(1);
});

test('who waits at an address that cannot be called at all waits for nobody', async () => {
  const { request } = createGatewayClient({ baseUrl: 'http://127.0.0.1:10080' });
  const error = await caught(request('gwreq-1').answer());
  expect(error).toMatchObject({ errorCode: 'connection_failed', hopeless: true, requestId: 'gwreq-1' });
});

test('a limit that ends a silence says what was seen last', async () => {
  const { client } = await stub({
    intercept: losingLooks((look, res) => look > 1 && cut(res)),
    turnMs: 60_000,
  });
  const error = await caught(client.prompt('Hello', { timeoutMs: 900, onUpdate: () => undefined }));
  expect(error.errorCode).toBe('timeout');
  expect(error.detail).toMatch(
    /^No answer within 900 ms. Request gwreq-\S+ was accepted when the gateway last/,
  );
});

test('an answer ends a silence: two short ones are not a long one', async () => {
  const { gateway, client } = await stub({
    intercept: losingLooks((look, res) => {
      if (look === 3) return answerJson(res, 200, { ...gateway.records[0], state: 'running' }) === undefined;
      return look < 6 && cut(res);
    }),
  });
  const states: string[] = [];
  const onUpdate = ({ state }: { state: string }) => states.push(state);
  await expect(client.prompt('Hello', { silenceMs: 800, onUpdate })).resolves.toBe('You said: Hello');
  expect(states).toEqual(['running', 'completed']);
});

test.each([0, -1, Number.NaN])(
  'a silence of %d ms is refused before anything is queued',
  async (silenceMs) => {
    const { gateway, client } = await stub();
    await expect(client.prompt('Hello', { silenceMs })).rejects.toThrow(RangeError);
    expect(gateway.received).toHaveLength(0);
  },
);

test('a gateway that stops answers 503 to a look, which is asked again', async () => {
  const { client } = await stub({
    intercept: losingLooks((look, res) => {
      if (look > 1) return false;
      answerJson(res, 503, { detail: 'The gateway is stopping.' });
      return true;
    }),
  });
  await expect(client.prompt('Hello')).resolves.toBe('You said: Hello');
});

test('a refused look carries the id', async () => {
  const { gateway, client } = await stub({
    intercept: losingLooks((_look, res) => {
      answerJson(res, 404, { detail: 'No such request.' });
      return true;
    }),
  });
  const error = await caught(client.prompt('Hello'));
  expect(error).toMatchObject({
    status: 404,
    errorCode: 'http_404',
    operationId: 'getRequest',
    httpRequestId: 'http-0001',
    requestId: gateway.records[0]!.request_id,
  });
});

test('a state that this version does not know ends the waiting', async () => {
  const { gateway, client } = await stub({
    intercept: losingLooks((_look, res) => {
      answerJson(res, 200, { ...gateway.records[0], state: 'archived', error: null });
      return true;
    }),
  });
  const error = await caught(client.prompt('Hello'));
  assert(error instanceof PromptFailed);
  const requestId = gateway.records[0]!.request_id;
  expect(error).toMatchObject({ errorCode: 'unknown_state', requestId, record: { state: 'archived' } });
  expect(error.detail).toBe(
    `Request ${requestId} is in the state \`archived\`, which this version of the SDK does not know.`,
  );
  expect(gateway.received).toHaveLength(2);
});
