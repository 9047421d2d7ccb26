import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { requestFor } from '../../support/launch-host.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const tmux = ownTmux();

test.each([
  ['asked to end', (server: ServerProcess) => server.stop()],
  ['killed', (server: ServerProcess) => server.kill()],
])('a server that was %s and started again has the agents that it had', async (_how, end) => {
  const folder = temporaryFolder(tmux);
  const host = managedHost(folder, tmux);
  const first = await startManagedServer(host, folder);
  await createSession(checkLaunch(requestFor('alpha', folder), host), host);
  await createSession(checkLaunch(requestFor('beta', folder, { tmux: true, terminal: true }), host), host);
  await tmux.tmux.newSession('gpu', folder, {});
  const registered = await first.ask('POST', '/houmao/launches/register?session_name=gpu&tool=claude');
  expect(registered.status).toBe(200);
  const list = async (server: ServerProcess) => (await server.ask('GET', '/houmao/agents')).body.agents;
  await expect.poll(() => list(first)).toHaveLength(3);
  const before = await list(first);
  const startedAt = JSON.parse(readFileSync(first.paths.currentInstance, 'utf8')).pid;

  await end(first);
  const second = await startManagedServer(host, folder);
  expect(JSON.parse(readFileSync(second.paths.currentInstance, 'utf8')).pid).not.toBe(startedAt);
  expect(await list(second)).toEqual(before);
  const names = before.map((agent: { agent_name: string | null }) => agent.agent_name);
  expect(names).toEqual(expect.arrayContaining(['HOUMAO-alpha', 'HOUMAO-beta']));
  expect((await second.ask('GET', '/houmao/agents/beta/state')).body).toMatchObject({
    availability: 'available',
  });
  expect(await second.stop()).toBe(0);
  await tmux.tmux.killSession('gpu');
});
