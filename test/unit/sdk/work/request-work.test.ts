// How a queued prompt is waited for when the gateway answers late, not at all, or what nobody expected.
import { createGatewayClient, PromptFailed, type Silence } from '@houmao/sdk';
import { assert, expect, onTestFinished, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, type Handler } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

async function stub(options: StubOptions = {}) {
  const gateway = await startStubGateway(options);
  onTestFinished(() => gateway.close());
  return { gateway, client: createGatewayClient({ baseUrl: gateway.url, timeoutMs: 600_000 }) };
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
    `Request ${requestId} was accepted when the gateway last answered; its state now is not known.`,
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
  const time = ownTime();
  let looks = 0;
  const { client } = await stub({
    intercept: losingLooks((look, res) => {
      looks = look;
      return look > 1 && cut(res);
    }),
  });
  const reported = caught(client.prompt('forever', { timeoutMs: 60_000, onUpdate: () => undefined }));
  // The third look follows on a second one of which it is known that it got no answer.
  await time.passUntil(() => looks, 3);
  await time.pass(60_000);
  const error = await reported;
  expect(error.errorCode).toBe('timeout');
  expect(error.detail).toMatch(
    /^No answer within 60 s. Request gwreq-\S+ was accepted when the gateway last/,
  );
});

test('an answer ends a silence: two short ones are not a long one', async () => {
  const time = ownTime();
  let answers = 0;
  let isSilent = true;
  const { gateway, client } = await stub({
    intercept: losingLooks((_look, res) => {
      if (isSilent) return cut(res);
      if (answers > 0) return false;
      answers += 1;
      isSilent = true;
      answerJson(res, 200, { ...gateway.records[0], state: 'running' });
      return true;
    }),
  });
  const states: string[] = [];
  const onUpdate = ({ state }: { state: string }, silence: Silence | null) => {
    if (silence === null) states.push(state);
  };
  const answer = client.prompt('Hello', { silenceMs: 30_000, onUpdate });
  await time.until(() => gateway.records.length, 1);
  const silence = async (): Promise<void> => {
    const begun = performance.now();
    await time.passUntil(() => performance.now() - begun >= 20_000, true);
    isSilent = false;
  };
  await silence();
  await time.passUntil(() => states.length > 0, true);
  await silence();
  expect(await time.passWhile(answer)).toBe('You said: Hello');
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
