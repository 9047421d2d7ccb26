// An agent in a terminal: its request is completed when it has the prompt, and the answer comes with the end of its turn.
import { createGatewayClient, PromptFailed } from '@houmao/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { caught } from '../caught.js';
import type { Handler } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

async function stub(options: StubOptions = {}) {
  const gateway = await startStubGateway({ interactive: true, turnMs: 200, ...options });
  onTestFinished(() => gateway.close());
  return { gateway, client: createGatewayClient({ baseUrl: gateway.url, timeoutMs: 600_000 }) };
}

/** A request whose turn goes on until the test ends it. */
async function running(options: StubOptions = {}) {
  const { gateway, client } = await stub(options);
  const { request_id } = await client.submitRequest({
    body: { kind: 'submit_prompt', payload: { prompt: 'forever' } },
  });
  const turn_id = `turn-${request_id}`;
  const record = gateway.records[0]!;
  const turn = { turn_id, state: 'running', outcome: null };
  Object.assign(record, { state: 'completed', finished_at_utc: record.accepted_at_utc, turn });
  const end = () =>
    Object.assign(turn, {
      state: 'ended',
      outcome: 'completed',
      answer: { text: 'Done.', truncated: false },
    });
  return { gateway, handle: client.request(request_id), request_id, turn_id, end };
}

type Received = Parameters<Handler>[0];
const looksAtTurn = ({ url }: Pick<Received, 'url'>) => url.startsWith('/v1/turns/');

test('the answer is that of the turn', async () => {
  const { gateway, client } = await stub();
  await expect(client.prompt('Hello')).resolves.toBe('You said: Hello');
  await expect(client.request(gateway.records[0]!.request_id).answer()).resolves.toBe('You said: Hello');
});

test('the record is returned with its turn, until that has ended', async () => {
  const { handle, end } = await running();
  const reported: unknown[] = [];
  const answer = handle.answer({
    onUpdate: ({ state, turn }) => {
      reported.push([state, turn?.state]);
      end();
    },
  });
  await expect(answer).resolves.toBe('Done.');
  expect(reported).toEqual([
    ['completed', 'running'],
    ['completed', 'ended'],
  ]);
});

test('a turn that fails is a prompt that failed, with its reason', async () => {
  const { gateway, client } = await stub();
  const error = await caught(client.prompt('please fail'));
  const requestId = gateway.records[0]!.request_id;
  expect(error).toBeInstanceOf(PromptFailed);
  expect(error).toMatchObject({
    errorCode: 'agent_failed',
    detail: expect.stringMatching(/ code 1\.$/),
    requestId,
    record: { state: 'completed', turn: { state: 'ended', outcome: 'failed' } },
  });
});

test('a turn that ended otherwise and without a reason is named', async () => {
  const { gateway, client } = await stub();
  await client.prompt('Hello');
  const record = gateway.records[0]!;
  Object.assign(record.turn!, { outcome: 'interrupted', answer: { text: 'half of', truncated: false } });
  expect(await caught(client.request(record.request_id).answer())).toMatchObject({
    errorCode: 'interrupted',
    detail: `Turn turn-${record.request_id} of request ${record.request_id} ended as interrupted.`,
  });
});

test('lost looks at the turn are borne', async () => {
  let lost = 0;
  const { handle, end } = await running({
    intercept: (received, res) => {
      if (!looksAtTurn(received)) return false;
      lost += 1;
      if (lost > 2) end();
      else res.destroy();
      return lost <= 2;
    },
  });
  await expect(handle.answer()).resolves.toBe('Done.');
  expect(lost).toBe(3);
});

test('a silence, the limit and the signal hold for the turn, too, and say how it stands', async () => {
  const time = ownTime();
  let silent = false;
  const { gateway, handle, request_id, turn_id } = await running({
    intercept: (received, res) => {
      if (silent && looksAtTurn(received)) res.destroy();
      return silent && looksAtTurn(received);
    },
  });
  const goesOn = `Turn ${turn_id} of request ${request_id} goes on.`;
  const looks = () => gateway.received.filter(looksAtTurn).length;
  const late = caught(handle.answer({ timeoutMs: 20_000 }));
  await time.passUntil(looks, 1);
  await time.pass(20_000);
  expect(await late).toMatchObject({ errorCode: 'timeout', detail: `No answer within 20 s. ${goesOn}` });
  const controller = new AbortController();
  const stopped = caught(handle.answer({ signal: controller.signal }));
  await time.passUntil(looks, 2);
  controller.abort();
  expect(await stopped).toMatchObject({ errorCode: 'aborted', detail: `Stopped waiting. ${goesOn}` });
  silent = true;
  expect(await caught(time.passWhile(handle.answer({ silenceMs: 300 })))).toMatchObject({
    errorCode: 'connection_failed',
    operationId: 'getTurn',
    requestId: request_id,
    detail: expect.stringContaining(`Turn ${turn_id} of request ${request_id} ran when the gateway last`),
  });
});
