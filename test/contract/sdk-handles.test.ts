// Handles of the SDK against a real gateway.
import { createGatewayClient, type GatewayError, type LogEntry, TurnFailed } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { serve } from './support/served.js';

const served = serve();
const client = () => createGatewayClient({ baseUrl: served.gateway.url });
const failure = (call: Promise<unknown>): Promise<GatewayError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: GatewayError) => error,
  );

test('a submitted prompt is waited for by its id from another client', async () => {
  const { requestId } = await client().submit('Hello');
  const handle = client().request(requestId);
  expect(await handle.answer()).toContain('Hello');
  expect(await handle.record()).toMatchObject({ request_id: requestId, state: 'completed' });
});

test('what waits behind a turn is taken back', async () => {
  const first = await client().submit('[[slow=3600000]] first');
  const second = await client().submit('second');
  expect(await second.cancel()).toMatchObject({ state: 'cancelled' });
  expect(await failure(second.answer())).toMatchObject({ name: 'PromptFailed', requestId: second.requestId });
  await served.interrupt();
  expect(await failure(first.answer())).toMatchObject({ errorCode: 'interrupted' });
});

test('of what waits in a paused queue it is not said that it runs', async () => {
  await served.idle();
  await client().updateQueue({ body: { paused: true } });
  const handle = await client().submit('later');
  const seen = new AbortController();
  const reported = await failure(handle.answer({ signal: seen.signal, onUpdate: () => seen.abort() }));
  expect(reported.detail).toMatch(
    /^Stopped waiting\. Request \S+ is queued; .+, it waited: The queue is paused/,
  );
  expect((await failure(handle.answer({ timeoutMs: 1500 }))).detail).toMatch(
    /^No answer within 1\.5 s\. Request \S+ is taken: /,
  );
  await client().updateQueue({ body: { paused: false } });
  expect(await handle.answer()).toContain('later');
});

test('a direct prompt names its turn, which is waited for, also by its id', async () => {
  await served.idle();
  const turn = await client().control('now');
  expect(turn.turnId).toMatch(/^turn-/);
  const states: string[] = [];
  expect(await turn.answer({ onUpdate: ({ state }) => states.push(state) })).toContain('now');
  expect(states.at(-1)).toBe('ended');
  expect(await client().turn(turn.turnId).record()).toMatchObject({ turn_id: turn.turnId, origin: 'direct' });
  await expect(client().turn(turn.turnId).answer()).resolves.toContain('now');
});

test('a log at debug holds nothing of what is prompted and answered', async () => {
  const entries: string[] = [];
  const log = {
    level: 'debug',
    sink: (entry: LogEntry) => void entries.push(JSON.stringify(entry)),
  } as const;
  const logged = createGatewayClient({ baseUrl: served.gateway.url, log });
  expect(await logged.prompt('my own affair')).toContain('my own affair');
  await failure(logged.prompt('[[exit=7]] my own affair'));
  await failure(logged.submitRequest({ body: { kind: 'my own affair' as 'interrupt', payload: {} } }));
  await logged.events().next();
  expect(entries.some((entry) => entry.includes('submitRequest'))).toBe(true);
  expect(entries.filter((entry) => entry.includes('affair'))).toEqual([]);
});

test('a turn that failed, one that is not there, and a direct prompt that is refused', async () => {
  await served.idle();
  const turn = await client().control('[[exit=7]] fail');
  const error = await failure(turn.answer());
  expect(error).toBeInstanceOf(TurnFailed);
  expect(error).toMatchObject({ turnId: turn.turnId, turn: { outcome: 'failed' } });
  expect(await failure(client().turn('turn-none').answer())).toMatchObject({
    status: 404,
    turnId: 'turn-none',
  });
  await served.idle();
  const slow = await client().control('[[slow=3600000]] slow');
  expect(await failure(client().control('refused'))).toMatchObject({ status: 409, errorCode: 'not_ready' });
  expect(await failure(slow.answer({ timeoutMs: 100 }))).toMatchObject({
    errorCode: 'timeout',
    turnId: slow.turnId,
    detail: `No answer within 100 ms. Turn ${slow.turnId} goes on.`,
  });
  await served.interrupt();
  expect(await failure(slow.answer())).toMatchObject({ errorCode: 'interrupted' });
});
