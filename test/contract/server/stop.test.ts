import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import { listAgents } from '../../../src/launch/agent-directory.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { addField } from '../../support/added-field.js';
import { launchBody, prepare } from '../../support/brain.js';
import { requestFor } from '../../support/launch-host.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const tmux = ownTmux();
let served: ManagedServer;
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
});
afterAll(() => served.close());

const { requested } = prepare(folder);
const launch = async (name: string) =>
  (
    await served.ask('POST', '/houmao/agents/headless/launches', {
      ...launchBody(requested),
      agent_name: name,
    })
  ).body;
const stop = (reference: string) => served.ask('POST', `/houmao/agents/${reference}/stop`);
const authorities = (): string[] => readdirSync(join(folder, 'server/state/managed_agents'));

test('a headless agent is gone everywhere but in its session root', async () => {
  const { tracked_agent_id: id, identity, session_root, manifest_path } = await launch('alpha');
  const { status, body } = await stop('alpha');
  expect([status, body]).toEqual([
    200,
    { success: true, tracked_agent_id: id, detail: 'Stopped alpha.', turn_id: null },
  ]);
  expect(await tmux.tmux.hasSession(identity.tmux_session_name)).toBe(false);
  expect(listAgents(served.host).agents.map(({ name }) => name)).not.toContain('HOUMAO-alpha');
  expect(authorities()).not.toContain(id);
  expect([session_root, manifest_path, join(session_root, 'gateway/state.json')].map(existsSync)).toEqual([
    ...[true, true, true],
  ]);
  for (const alias of [id, 'alpha']) expect((await stop(alias)).status).toBe(404);
});

test('of five stops at once one ends it, and the others find none', async () => {
  const { tracked_agent_id: id } = await launch('crowd');
  const answers = await Promise.all(Array.from({ length: 5 }, () => stop(id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
});

test('an agent whose manifest is spoilt is stopped by what the server knows of it, and the answer says what is not done', async () => {
  const { manifest_path, identity } = await launch('spoilt');
  writeFileSync(manifest_path, '{ half');
  const { status, body } = await stop('spoilt');
  expect(status).toBe(200);
  expect(body.detail).toMatch(/^Stopped spoilt\. .*manifest\.json could not be read \(is not valid JSON\)/);
  expect(await tmux.tmux.hasSession(identity.tmux_session_name)).toBe(false);
  expect((await stop('spoilt')).status).toBe(404);
});

test('an agent whose record in the registry is spoilt is stopped with its gateway, and the answer says that the record is left', async () => {
  const { identity, session_root } = await launch('marked');
  expect((await served.ask('POST', '/houmao/agents/marked/gateway/attach')).status).toBe(200);
  const gateway = identify(JSON.parse(readFileSync(sessionPaths(session_root).currentInstance, 'utf8')).pid);
  const record = join(served.host.registryRoot, 'live_agents', identity.agent_id, 'record.json');
  addField(record);
  const { status, body } = await stop('marked');
  expect([status, body.success]).toEqual([200, true]);
  expect(body.detail).toContain(
    `Stopped marked. Its gateway was stopped. ${record} cannot be used (field /added: unexpected property): `,
  );
  expect(body.detail).toMatch(/ listed .*\.$/);
  expect(gateway && isAlive(gateway)).toBe(false);
  expect(await tmux.tmux.hasSession(identity.tmux_session_name)).toBe(false);
  rmSync(record);
  await expect.poll(async () => (await stop('marked')).status).toBe(404);
});

test('nothing was changed where the record of the gateway itself is spoilt, and it is said so', async () => {
  const { identity, session_root } = await launch('unsure');
  const { currentInstance } = sessionPaths(session_root);
  expect((await served.ask('POST', '/houmao/agents/unsure/gateway/attach')).status).toBe(200);
  const sound = readFileSync(currentInstance, 'utf8');
  writeFileSync(currentInstance, '{ half');
  expect(await stop('unsure')).toMatchObject({
    status: 502,
    body: { detail: expect.stringMatching(/names the process of its gateway .*Nothing was changed\.$/) },
  });
  expect(await tmux.tmux.hasSession(identity.tmux_session_name)).toBe(true);
  writeFileSync(currentInstance, sound);
  expect((await stop('unsure')).status).toBe(200);
});

test('an agent that houmao-mgr launched in a terminal is stopped with all its processes', async () => {
  const request = checkLaunch(
    requestFor('term', folder, { tmux: true, terminal: true, homePath: join(folder, 'home') }),
    served.host,
  );
  const paths = await createSession(request, served.host);
  await served.server.directory.changed();
  const found = served.server.directory.resolve('term');
  if (found.kind !== 'one') throw new Error('it is not listed');
  const pid = Number(
    tmux.run('display-message', '-p', '-t', `=${found.agent.tmuxSessionName}:0.0`, '#{pane_pid}'),
  );
  const tool = identify(pid);
  const { status, body } = await stop('term');
  expect([status, body.turn_id, body.tracked_agent_id]).toEqual([200, null, found.agent.trackedAgentId]);
  expect(tool && isAlive(tool)).toBe(false);
  expect(existsSync(paths.manifest)).toBe(true);
  expect((await stop('term')).status).toBe(404);
});

test('a session that was only registered is ended, and forgotten', async () => {
  tmux.run('new-session', '-d', '-s', 'guest', 'sleep 1000');
  const registered = await served.ask('POST', '/houmao/launches/register?session_name=guest&tool=claude');
  expect(registered.status).toBe(200);
  expect((await stop('guest')).status).toBe(200);
  expect(await tmux.tmux.hasSession('guest')).toBe(false);
  expect(existsSync(join(folder, 'server/sessions/guest'))).toBe(false);
});
