import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait } from '../../support/http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, heldAgent, linesOf, takenPrompts } from '../recovery/evidence.js';
import { idOf, pathOf } from './turns-of.js';

// An agent whose turns the server runs also beside a gateway: the gateway hands its prompts on. Neither waits for the other.

let session: TestSession;
let server: ServerProcess;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  server = await startManagedServer(managedHost(session.folder), session.folder);
  const manifest = JSON.parse(readFileSync(session.paths.manifest, 'utf8'));
  const authority = { api_base_url: server.url, managed_agent_ref: idOf(session) };
  manifest.gateway_authority = {
    attach: { ...manifest.gateway_authority?.attach, ...authority },
    control: { ...manifest.gateway_authority?.control, ...authority },
  };
  manifest.runtime.agent_def_dir = null;
  writeFileSync(session.paths.manifest, JSON.stringify(manifest));
  const desired_diagnostic_logging = { enabled: true };
  writeFileSync(
    session.paths.desiredConfig,
    JSON.stringify({ schema_version: 1, desired_diagnostic_logging }),
  );
  gateway = await startGateway(session);
});
afterEach(async () => {
  await gateway.stop();
  await server.stop();
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const restartServer = async (): Promise<void> => {
  const flags = ['--port', String(server.port)];
  await server.kill();
  server = await startManagedServer(managedHost(session.folder), session.folder, { flags });
};
const onServer = async (turnId: string) =>
  (await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`))).body;

test('a prompt of the gateway runs on the server under its own name, and both tell the same end', async () => {
  const request = await promptAndWait(gateway.url, 'handed on');
  expect(request).toMatchObject({ state: 'completed', turn: { outcome: 'completed' } });
  expect(request.turn.answer.text).toContain('You said: handed on (turn 1 ');
  expect(await onServer(request.turn.turn_id)).toMatchObject({ status: 'completed', returncode: 0 });
  const direct = await call(gateway.url, 'POST', '/v1/control/prompt', { prompt: 'at once' });
  expect(direct.status).toBe(200);
  const turnId = direct.headers.get('x-houmao-turn-id') ?? '';
  expect(await onServer(turnId)).toMatchObject({ status: 'completed' });
  expect(takenPrompts(session.ledger).map(({ turn_id }) => turn_id)).toEqual([request.turn.turn_id, turnId]);
});

test('states by the server go round no circle: the gateway is asked once for each', async () => {
  const states = await Promise.all(
    Array.from({ length: 20 }, () => server.ask('GET', pathOf(session, '/state/detail'))),
  );
  for (const { status, body } of states)
    expect([status, body.summary_state?.availability]).toEqual([200, 'available']);
  // Before it hands a prompt on, it asks the server how the agent is.
  expect(await promptAndWait(gateway.url, 'handed on')).toMatchObject({ state: 'completed' });
  // Its log of what it was asked is whole when it has ended.
  expect(await gateway.stop()).toBe(0);
  const asked = linesOf(session.paths.diagnostics).map((line) => JSON.parse(line).path);
  expect(asked.filter((path) => path === '/v1/status')).toHaveLength(states.length);
});

test('prompts and interrupts by the server go round no circle', async () => {
  const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt: '[[slow=60000]] long' });
  expect(begun.status).toBe(200);
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
  const stopped = await server.ask('POST', pathOf(session, '/requests'), { request_kind: 'interrupt' });
  expect(stopped.body).toMatchObject({ disposition: 'accepted', headless_turn_id: begun.body.turn_id });
  expect(await onServer(begun.body.turn_id)).toMatchObject({ status: 'interrupted' });
});

test('an interrupt at the gateway reaches the turn on the server', async () => {
  const accepted = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: '[[slow=60000]] long', turn_id: 'turn-handed' },
  });
  expect(accepted.status).toBe(202);
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
  await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  expect(await onServer('turn-handed')).toMatchObject({ status: 'interrupted' });
  const turn = await call(gateway.url, 'GET', '/v1/turns/turn-handed?wait_seconds=30');
  expect(turn.body).toMatchObject({ state: 'ended', outcome: 'interrupted' });
});

test('the server dies while it runs a turn of the gateway: the next one knows its end, and so does the gateway', async () => {
  const accepted = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: '[[slow=2000]] through', turn_id: 'turn-through' },
  });
  const goOn = await heldAgent(session.ledger, 'through');
  await restartServer();
  goOn();
  expect(await onServer('turn-through')).toMatchObject({ status: 'completed' });
  const request = `/v1/requests/${accepted.body.request_id}?wait_seconds=40`;
  expect((await call(gateway.url, 'GET', request)).body).toMatchObject({ state: 'completed' });
  expect(takenPrompts(session.ledger)).toHaveLength(1);
});
