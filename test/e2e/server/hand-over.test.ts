import { afterEach, expect, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, expectedLines, heldAgent, linesOf, takenPrompts } from '../recovery/evidence.js';
import { pathOf } from './turns-of.js';

// The turns of a session change hands between the server and a gateway; none is run twice, none is lost.

let session: TestSession;
let server: ServerProcess;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const start = async (): Promise<ServerProcess> =>
  startManagedServer(managedHost(session.folder), session.folder);
const begin = async (prompt: string): Promise<string> => {
  const { status, body } = await server.ask('POST', pathOf(session, '/turns'), { prompt });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  return body.turn_id;
};
const recordOf = async (turnId: string, wait = 30) =>
  (await server.ask('GET', pathOf(session, `/turns/${turnId}/record?wait_seconds=${wait}`))).body;
const held = (words: string) => heldAgent(session.ledger, words);
const taken = (count: number) => expect.poll(() => takenPrompts(session.ledger)).toHaveLength(count);

test('a gateway that starts while the server runs a turn goes on with it', async () => {
  session = await makeSession();
  server = await start();
  const turnId = await begin('[[slow=2000]] handed on');
  const goOn = await held('handed on');
  const gateway = await startGateway(session);
  const seen = await call(gateway.url, 'GET', `/v1/turns/${turnId}`);
  expect(seen.body).toMatchObject({ state: 'running', origin: 'direct' });
  // The server asks the gateway to wait now.
  const ended = recordOf(turnId);
  goOn();
  expect(await ended).toMatchObject({ outcome: 'completed', delivery: { state: 'confirmed' } });
  const next = await begin('by the gateway');
  expect(await recordOf(next)).toMatchObject({ outcome: 'completed', origin: 'queue' });
  expect(takenPrompts(session.ledger).map(({ turn_id }) => turn_id)).toEqual([turnId, next]);
  expect(await gateway.stop()).toBe(0);
  expect(await server.stop()).toBe(0);
  const { events } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  const ends = events.filter((line) => line.includes('control_prompt_completed') && line.includes(turnId));
  expect(ends).toHaveLength(1);
});

test('a turn whose gateway is killed goes on under the server', async () => {
  session = await makeSession();
  server = await start();
  const gateway = await startGateway(session);
  const turnId = await begin('[[slow=2000]] orphan');
  const goOn = await held('orphan');
  const waiting = recordOf(turnId);
  await gateway.kill();
  goOn();
  expect(await waiting).toMatchObject({ outcome: 'completed', origin: 'queue', exit_code: 0 });
  // Its request ended with it.
  const next = await startGateway(session);
  const record = await recordOf(turnId);
  const request = await call(next.url, 'GET', `/v1/requests/${record.request_id}`);
  expect(request.body).toMatchObject({ state: 'completed', turn: { turn_id: turnId } });
  expect(takenPrompts(session.ledger)).toHaveLength(1);
  expect(await next.stop()).toBe(0);
  expect(await server.stop()).toBe(0);
});

test('both die, and the turn ends as if nothing had been', async () => {
  session = await makeSession();
  server = await start();
  const turnId = await begin('[[slow=2000]] [[exit=3]] alone');
  const goOn = await held('alone');
  const gateway = await startGateway(session);
  await gateway.kill();
  await server.kill();
  server = await start();
  goOn();
  expect(await recordOf(turnId)).toMatchObject({ outcome: 'failed', exit_code: 3 });
  expect(takenPrompts(session.ledger)).toHaveLength(1);
  expect(await server.stop()).toBe(0);
});

test('a gateway that is asked to stop ends its turn, as ever', async () => {
  session = await makeSession();
  server = await start();
  const gateway = await startGateway(session);
  const turnId = await begin('[[slow=60000]] cut short');
  await taken(1);
  expect(await gateway.stop()).toBe(0);
  expect(await recordOf(turnId)).toMatchObject({ outcome: 'interrupted' });
  expect(await server.stop()).toBe(0);
});

test('a detach through the server leaves the turn running; the server goes on with it', async () => {
  session = await makeSession();
  server = await start();
  const gateway = await startGateway(session);
  const turnId = await begin('[[slow=2000]] detached from');
  const goOn = await held('detached from');
  const detached = await server.ask('POST', pathOf(session, '/gateway/detach'));
  expect(detached).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
  expect(gateway.child.exitCode).toBe(0);
  const active = await server.ask('GET', pathOf(session, `/turns/${turnId}`));
  expect(active.body).toMatchObject({ status: 'active' });
  goOn();
  expect(await recordOf(turnId)).toMatchObject({ outcome: 'completed', origin: 'queue', exit_code: 0 });
  const next = await startGateway(session);
  const { request_id } = await recordOf(turnId);
  expect((await call(next.url, 'GET', `/v1/requests/${request_id}`)).body).toMatchObject({
    state: 'completed',
  });
  expect(takenPrompts(session.ledger)).toHaveLength(1);
  expect(await next.stop()).toBe(0);
  expect(await server.stop()).toBe(0);
});
