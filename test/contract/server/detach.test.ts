import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ExchangeFault } from '../../../src/foundation/exchange-fault.js';
import { identify, isAlive, type ProcessIdentity } from '../../../src/foundation/processes.js';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { addField } from '../../support/added-field.js';
import { launchBody, prepare } from '../../support/brain.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// A detach that is done is not reported as refused, whatever cannot be read of it afterwards.
const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let served: ManagedServer;
const names: string[] = [];
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
});
afterAll(async () => {
  for (const name of names) await served.ask('POST', `/houmao/agents/${name}/stop`);
  await served.close();
});

const { requested } = prepare(folder);
async function launched(name: string): Promise<{ paths: SessionPaths; agentId: string }> {
  names.push(name);
  const body = { ...launchBody(requested), agent_name: name };
  const made = (await served.ask('POST', '/houmao/agents/headless/launches', body)).body;
  return { paths: sessionPaths(made.session_root), agentId: made.identity.agent_id };
}
const attach = (name: string) =>
  served.ask('POST', `/houmao/agents/${name}/gateway/attach`, { execution_mode: 'detached_process' });
const detach = (name: string) => served.ask('POST', `/houmao/agents/${name}/gateway/detach`);
const gatewayOf = (paths: SessionPaths): ProcessIdentity | null =>
  identify(JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid);

test('a gateway that was ended over a spoilt manifest is said to be ended; without one it is a plain 503', async () => {
  const { paths } = await launched('torn');
  expect((await attach('torn')).status).toBe(200);
  const gateway = gatewayOf(paths);
  const sound = readFileSync(paths.manifest);
  writeFileSync(paths.manifest, '{ half');
  const detached = await detach('torn');
  expect([detached.status, detached.body, detached.headers.get('x-houmao-done')]).toEqual([
    503,
    { detail: expect.stringMatching(/^The gateway was ended; .+: The session manifest /) },
    'true',
  ]);
  expect(gateway && isAlive(gateway)).toBe(false);
  const again = await detach('torn');
  expect([again.status, again.headers.get('x-houmao-done')]).toEqual([503, null]);
  writeFileSync(paths.manifest, sound);
  expect(await detach('torn')).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
});

test('records that cannot be read do not make a refusal of a gateway that was ended', async () => {
  const { paths } = await launched('damaged');
  expect((await attach('damaged')).status).toBe(200);
  const gateway = gatewayOf(paths);
  // In its place, so that the gateway does not mend it when it ends.
  for (const rest of ['', '-wal', '-shm']) rmSync(`${paths.queue}${rest}`, { force: true });
  writeFileSync(paths.queue, 'no database '.repeat(100));
  expect(await detach('damaged')).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
  expect(gateway && isAlive(gateway)).toBe(false);
  expect(served.faults.join()).toMatch(/its turns are not known: .*cannot be read now \(SQLITE_NOTADB\)/);
});

test('nor does a record of the registry that cannot be used', async () => {
  const { paths, agentId } = await launched('marked');
  expect((await attach('marked')).status).toBe(200);
  const gateway = gatewayOf(paths);
  const mend = addField(join(served.host.registryRoot, 'live_agents', agentId, 'record.json'));
  expect(await detach('marked')).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
  expect(gateway && isAlive(gateway)).toBe(false);
  expect(served.faults.join()).toMatch(/record\.json cannot be used /);
  mend();
});

test('a gateway that was started is said to be started, also where its status cannot be had', async () => {
  await launched('mute');
  const pass = vi.spyOn(served.server.forwarder, 'forward');
  const silent = { kind: 'failed', fault: new ExchangeFault('silent') } as const;
  pass.mockResolvedValueOnce(silent);
  const attached = await attach('mute');
  expect([attached.status, attached.headers.get('x-houmao-done')]).toEqual([503, 'true']);
  expect(attached.body.detail).toMatch(
    /^The gateway was started; its status is not known: .* did not answer within/,
  );
  // One that served already was not started for this.
  pass.mockResolvedValueOnce(silent);
  const again = await attach('mute');
  expect([again.status, again.headers.get('x-houmao-done')]).toEqual([503, null]);
  // A gateway that serves no more when it is asked has ended all the same.
  pass.mockResolvedValueOnce(silent);
  expect(await detach('mute')).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
});
