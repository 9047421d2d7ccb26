// An interrupt that is aimed at a turn stops that turn or none, however close to its end it comes.
import { createGatewayClient, PromptFailed } from '@houmao/sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf } from '../recovery/evidence.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeAll(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterEach(() => expect(agentsOf(session)).toEqual([]));
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  session.remove();
});
const client = () => createGatewayClient({ baseUrl: gateway.url });
const failure = (answer: Promise<string>) =>
  answer.then(
    () => null,
    (error: unknown) => error,
  );

test('a handle stops its own request and never the next one, at whichever moment it is asked', async () => {
  for (let round = 0; round < 12; round += 1) {
    const short = await client().submit(`[[slow=${20 + round}]] short ${round}`);
    const next = await client().submit(`next ${round}`);
    const ended = short.answer().catch(() => undefined);
    if (round % 3 === 0) await ended;
    if (round % 3 === 1) await expect.poll(async () => (await short.record()).state).not.toBe('accepted');
    await short.interrupt();
    await ended;
    expect(await next.answer()).toContain(`next ${round}`);
  }
});

test('what waits is taken back, what runs is interrupted, what is over is left alone', async () => {
  const running = await client().submit('[[slow=60000]] runs');
  const waiting = await client().submit('waits');
  await waiting.interrupt();
  expect(await waiting.record()).toMatchObject({ state: 'cancelled' });
  await expect.poll(async () => (await running.record()).state).toBe('running');
  await running.interrupt();
  const error = await failure(running.answer());
  expect(error).toBeInstanceOf(PromptFailed);
  expect(error).toMatchObject({ errorCode: 'interrupted' });
  await running.interrupt();
  const direct = await client().control('[[slow=60000]] direct');
  await direct.interrupt();
  expect(await direct.record()).toMatchObject({ outcome: 'interrupted' });
});

test('a condition that does not hold is 412 and names what runs, and a prompt has none', async () => {
  const submit = (body: object, turn: string) =>
    call(gateway.url, 'POST', '/v1/requests', body, { 'X-Houmao-If-Turn': turn });
  const interrupt = { kind: 'interrupt', payload: {} };
  expect(await submit(interrupt, 'turn-x')).toMatchObject({
    status: 412,
    body: { detail: expect.stringMatching(/^Turn turn-x .*none runs now/) },
  });
  const running = await client().control('[[slow=60000]] direct');
  expect((await submit(interrupt, 'turn-x')).body.detail).toContain(`; ${running.turnId} runs now.`);
  expect((await submit({ kind: 'submit_prompt', payload: { prompt: 'p' } }, running.turnId)).status).toBe(
    422,
  );
  expect((await submit(interrupt, running.turnId)).status).toBe(202);
  await expect.poll(async () => (await running.record()).outcome).toBe('interrupted');
});
