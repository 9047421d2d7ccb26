import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withoutTime } from '../../../src/foundation/program-line.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { manage } from '../../support/manager.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { accepted, doctor, expectEachOnce, startAndFail, submit } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

const halve = (path: string): string => {
  truncateSync(path, Math.floor(statSync(path).size / 2));
  return readFileSync(path, 'utf8');
};
const resume = () => call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });

/** A gateway that has stopped with one request in its queue. */
async function waitingRequest(): Promise<string> {
  gateway = await startGateway(session);
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  expect(await gateway.stop()).toBe(0);
  return id;
}

test.each([
  ['manifest.json', 'manifest', /is not valid JSON; restore it, or stop the agent and launch it again\n$/],
  [
    'desired-config.json',
    'desiredConfig',
    /is not valid JSON; correct it, or move it aside to use the defaults\n$/,
  ],
] as const)(
  '%s, half-written at the start: exit 1 with path and remedy, left as it is',
  async (_name, key, line) => {
    const id = await waitingRequest();
    const path = session.paths[key];
    if (key === 'desiredConfig') writeFileSync(path, '{"schema_version": 1, "desired_port": null}');
    const whole = readFileSync(path);
    const half = halve(path);
    const refused = await startAndFail(session);
    expect([refused.code, withoutTime(refused.stderr).startsWith(`houmao-gateway: ${path}: `)]).toEqual([
      1,
      true,
    ]);
    expect(refused.stderr).toMatch(line);
    expect(await doctor(session)).toContain(`${path}: is not valid JSON`);
    expect(readFileSync(path, 'utf8')).toBe(half);
    writeFileSync(path, whole);
    gateway = await startGateway(session);
    await resume();
    await expectEachOnce(gateway, session.ledger, [id], ['kept']);
    expect(await gateway.stop()).toBe(0);
  },
);

test('a file that is only published, half-written at the start, is written again', async () => {
  const id = await waitingRequest();
  gateway = await startGateway(session);
  await gateway.kill();
  const published = [
    session.paths.state,
    session.paths.attach,
    session.paths.gatewayManifest,
    session.paths.currentInstance,
  ];
  for (const path of published) halve(path);
  // Without the queue's own record the epoch would be looked up here.
  expect(await doctor(session)).toContain(`${session.paths.attach}: is not valid JSON; delete it`);
  gateway = await startGateway(session);
  for (const path of published) expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow();
  await resume();
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('a fresh queue beside a half-written current-instance.json starts to count again', async () => {
  gateway = await startGateway(session);
  await gateway.kill();
  halve(session.paths.currentInstance);
  for (const suffix of ['', '-wal', '-shm']) rmSync(session.paths.queue + suffix, { force: true });
  gateway = await startGateway(session);
  expect((await call(gateway.url, 'GET', '/v1/status')).body.managed_agent_instance_epoch).toBe(1);
  expect(await gateway.stop()).toBe(0);
});

test('a file that is only published, half-written or gone while running, is written again', async () => {
  gateway = await startGateway(session);
  const { state, currentInstance } = session.paths;
  const before = JSON.parse(readFileSync(currentInstance, 'utf8'));
  halve(state);
  halve(currentInstance);
  const id = await accepted(gateway, 'kept');
  await expect.poll(() => jsonOf(state)?.gateway_port).toBe(gateway.port);
  await expect.poll(() => jsonOf(currentInstance)).toEqual(before);
  rmSync(state);
  // Nothing else changes: the idle look finds it.
  await expect.poll(() => jsonOf(state)?.gateway_health).toBe('healthy');
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('inputs half-written while running are left alone; the agent is refused until its manifest is restored', async () => {
  gateway = await startGateway(session);
  const { manifest, desiredConfig } = session.paths;
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  const whole = readFileSync(manifest);
  const half = halve(manifest);
  writeFileSync(desiredConfig, '{"schema_ver');
  await expect.poll(async () => (await submit(gateway, 'never taken')).status).toBe(503);
  const { body } = await call(gateway.url, 'GET', `/v1/requests/${id}`);
  expect(body).toMatchObject({ state: 'accepted', waiting_reason: { code: 'unavailable' } });
  const said = await doctor(session);
  expect(said).toContain(`${manifest}: is not valid JSON; restore it`);
  expect(said).toContain(`${desiredConfig}: is not valid JSON; correct it`);
  expect([readFileSync(manifest, 'utf8'), readFileSync(desiredConfig, 'utf8')]).toEqual([
    half,
    '{"schema_ver',
  ]);
  writeFileSync(manifest, whole);
  await resume();
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
  expect(readFileSync(desiredConfig, 'utf8')).toBe('{"schema_ver');
});

test('detach and attach get along with a half-written current-instance.json of a dead gateway', async () => {
  gateway = await startGateway(session);
  await gateway.kill();
  halve(session.paths.currentInstance);
  const name = JSON.parse(readFileSync(session.paths.manifest, 'utf8')).agent_name;
  const detached = await manage(session.environment, ['agents', 'gateway', 'detach', name]);
  expect([detached.code, detached.stderr]).toEqual([0, '']);
  expect(existsSync(session.paths.currentInstance)).toBe(false);
});

// biome-ignore lint/suspicious/noExplicitAny: a test looks into files of several shapes.
function jsonOf(path: string): any {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
