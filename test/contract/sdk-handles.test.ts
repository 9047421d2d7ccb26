// Handles of the SDK against a real gateway, and through a real server.
import { createGatewayClient, type GatewayError, type LogEntry } from '@houmao/sdk';
import { type AnyGateway, createHoumaoClient, type WorkError } from '@houmao/sdk/managed-agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManagedServer, openManagedServer } from '../support/managed-server.js';
import { serve } from './support/served.js';

const served = serve();
let server: ManagedServer;
beforeAll(async () => {
  server = await openManagedServer(served.session.folder);
});
afterAll(() => server.close());

const gatewayItself = () => createGatewayClient({ baseUrl: served.gateway.url });
const atServer = (): AnyGateway => {
  const [agent] = server.server.directory.list();
  return createHoumaoClient({ baseUrl: server.url }).agent(agent!.trackedAgentId).gateway;
};
const failure = (call: Promise<unknown>): Promise<WorkError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: GatewayError) => error,
  );

describe.each([
  { door: 'a gateway', client: gatewayItself, name: 'GatewayError' },
  { door: 'a gateway that is called through the server', client: atServer, name: 'HoumaoError' },
])('$door', ({ client, name }) => {
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
    expect(await failure(second.answer())).toMatchObject({
      name: 'PromptFailed',
      requestId: second.requestId,
    });
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
    expect(await client().turn(turn.turnId).record()).toMatchObject({
      turn_id: turn.turnId,
      origin: 'direct',
    });
    await expect(client().turn(turn.turnId).answer()).resolves.toContain('now');
  });

  test('a turn that failed, one that is not there, and a direct prompt that is refused', async () => {
    await served.idle();
    const turn = await client().control('[[exit=7]] fail');
    const error = await failure(turn.answer());
    expect(error).toMatchObject({ name: 'TurnFailed', turnId: turn.turnId, turn: { outcome: 'failed' } });
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

  test('what happens to a request is followed, and it is the newest in the list', async () => {
    await served.idle();
    const { requestId } = await client().submit('reported');
    const kinds: string[] = [];
    for await (const event of client().events()) {
      if (event.kind === 'gap' || event.subject_id !== requestId) continue;
      kinds.push(event.kind);
      if (event.kind === 'completed') break;
    }
    expect(kinds).toEqual(['accepted', 'request_started', 'completed']);
    for await (const request of client().requests({ pageSize: 1 })) {
      expect(request.request_id).toBe(requestId);
      break;
    }
  });

  test('an interrupt stops this turn and no other', async () => {
    await served.idle();
    const handle = await client().submit('[[slow=3600000]] first');
    await expect.poll(async () => (await handle.record()).turn?.state).toBe('running');
    await handle.interrupt();
    expect(await failure(handle.answer())).toMatchObject({ errorCode: 'interrupted' });
    await client()
      .turn((await handle.record()).turn!.turn_id)
      .interrupt();
  });

  test('a prompt waits for its answer, and a refusal says through which door it came', async () => {
    expect(await client().prompt('Hello')).toContain('Hello');
    expect(await failure(client().submit(' '))).toMatchObject({ name, errorCode: 'validation_failed' });
  });
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
