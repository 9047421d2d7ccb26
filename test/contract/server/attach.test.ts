import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import { changeDesiredConfig } from '../../../src/session/gateway-start-files.js';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { launchBody, prepare } from '../../support/brain.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { type OwnerProcess, startOwner } from '../../support/turn-owner.js';

const folder = temporaryFolder();
const tmux = ownTmux();
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
async function launched(name: string) {
  names.push(name);
  const { status, body } = await served.ask('POST', '/houmao/agents/headless/launches', {
    ...launchBody(requested),
    agent_name: name,
  });
  expect(status).toBe(200);
  return { session: body.identity.tmux_session_name as string, paths: sessionPaths(body.session_root) };
}
const attach = (name: string, body?: unknown) =>
  served.ask('POST', `/houmao/agents/${name}/gateway/attach`, body);
const detach = (name: string) => served.ask('POST', `/houmao/agents/${name}/gateway/detach`);
/** Another program that owns the turns of a session. */
async function anOwner(paths: SessionPaths): Promise<OwnerProcess> {
  const owner = await startOwner({ paths, environment: served.host.environment });
  if ('refused' in owner) throw new Error('the turns have an owner already');
  return owner;
}
const windowsOf = (session: string): string[] =>
  tmux.run('list-windows', '-t', `=${session}`, '-F', '#{window_name}').trim().split('\n');

test('a gateway is attached in a window, once; detached, the session is as before, and its port is kept', async () => {
  const { session, paths } = await launched('alpha');
  const first = await attach('alpha');
  expect(first).toMatchObject({
    status: 200,
    body: {
      gateway_health: 'healthy',
      execution_mode: 'tmux_auxiliary_window',
      gateway_tmux_window_index: '1',
    },
  });
  const again = await attach('alpha', { execution_mode: 'detached_process' });
  expect([again.status, again.body.gateway_port, again.body.execution_mode]).toEqual([
    ...[200, first.body.gateway_port, 'tmux_auxiliary_window'],
  ]);
  expect(windowsOf(session)).toEqual(['agent', 'gateway']);
  for (const _time of ['first', 'again'])
    expect(await detach('alpha')).toMatchObject({
      status: 200,
      body: { gateway_health: 'not_attached', gateway_host: null, gateway_port: null },
    });
  expect(windowsOf(session)).toEqual(['agent']);
  const config = JSON.parse(readFileSync(paths.desiredConfig, 'utf8'));
  expect(config).toMatchObject({
    desired_port: first.body.gateway_port,
    desired_execution_mode: 'tmux_auxiliary_window',
  });
});

test('of ten attaches at once one starts a gateway, and all tell of it', async () => {
  const { session } = await launched('crowd');
  const answers = await Promise.all(Array.from({ length: 10 }, () => attach('crowd', null)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(answers.map(({ body }) => body.gateway_port)).size).toBe(1);
  expect(windowsOf(session)).toEqual(['agent', 'gateway']);
  const ends = await Promise.all([detach('crowd'), attach('crowd'), detach('crowd'), detach('crowd')]);
  expect(ends.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await served.ask('GET', '/houmao/agents/crowd/gateway')).body.gateway_health).toBe('not_attached');
});

test('one that was killed is replaced by a new one', async () => {
  const { paths } = await launched('killed');
  expect((await attach('killed', { execution_mode: 'detached_process' })).status).toBe(200);
  const before = JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid;
  process.kill(before, 'SIGKILL');
  await expect
    .poll(async () => (await served.ask('GET', '/houmao/agents/killed/gateway')).body.gateway_health)
    .toBe('not_attached');
  expect(await attach('killed')).toMatchObject({ status: 200, body: { execution_mode: 'detached_process' } });
  expect(JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid).not.toBe(before);
});

test('timings are kept for later starts, the others stay as they were', async () => {
  const { paths } = await launched('timed');
  const timings = { stability_threshold_seconds: 2.5, watch_poll_interval_seconds: null };
  expect((await attach('timed', { tui_tracking_timings: timings })).status).toBe(200);
  const { desired_tui_tracking_timings } = JSON.parse(readFileSync(paths.desiredConfig, 'utf8'));
  expect(desired_tui_tracking_timings).toEqual({
    watch_poll_interval_seconds: 0.5,
    stability_threshold_seconds: 2.5,
    completion_stability_seconds: 1,
    unknown_to_stalled_timeout_seconds: 30,
    stale_active_recovery_seconds: 5,
    final_stable_active_recovery_seconds: 20,
  });
});

test.each([
  ['a timing of zero', { tui_tracking_timings: { stability_threshold_seconds: 0 } }],
  ['an unknown timing', { tui_tracking_timings: { speed: 1 } }],
  ['an unknown mode', { execution_mode: 'elsewhere' }],
])('%s breaks the contract, and no gateway is started', async (what, body) => {
  const name = what.replaceAll(' ', '-');
  const { session } = await launched(name);
  expect(await attach(name, body)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: expect.arrayContaining(['body']) }] },
  });
  expect(windowsOf(session)).toEqual(['agent']);
});

test('an address that something else has is a conflict, and nothing is left running', async () => {
  const { session, paths } = await launched('taken');
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  changeDesiredConfig(paths.desiredConfig, { desired_port: port });
  expect(await attach('taken')).toMatchObject({
    status: 409,
    body: { detail: 'The address of the gateway is already in use.' },
  });
  expect(windowsOf(session)).toEqual(['agent']);
  await new Promise((resolve) => other.close(resolve));
  expect((await attach('taken')).body.gateway_port).toBe(port);
});

test('a session that nobody could run is a 503, and says why', async () => {
  const { session, paths } = await launched('lost');
  const manifest = readFileSync(paths.manifest, 'utf8');
  writeFileSync(paths.manifest, '{ half');
  expect(await attach('lost')).toMatchObject({
    status: 503,
    body: { detail: 'A file of the session cannot be used: is not valid JSON.' },
  });
  writeFileSync(paths.manifest, manifest);
  tmux.run('kill-session', '-t', `=${session}`);
  expect(await attach('lost')).toMatchObject({
    status: 503,
    body: { detail: `The tmux session ${session} does not exist.` },
  });
});

test('a gateway whose own record is spoilt is not ended by guess: 503, and later it is', async () => {
  const { paths } = await launched('spoilt');
  await attach('spoilt');
  const record = readFileSync(paths.currentInstance, 'utf8');
  const gateway = identify(JSON.parse(record).pid);
  writeFileSync(paths.currentInstance, '{ half');
  expect(await detach('spoilt')).toMatchObject({
    status: 503,
    body: { detail: 'A file of the session cannot be used: is not valid JSON.' },
  });
  writeFileSync(paths.currentInstance, record);
  expect(await detach('spoilt')).toMatchObject({ status: 200, body: { gateway_health: 'not_attached' } });
  await expect.poll(() => gateway && isAlive(gateway)).toBe(false);
});

test('a session whose turns another program keeps is a 409, and is free once that has ended', async () => {
  const { paths } = await launched('owned');
  const { kill } = await anOwner(paths);
  expect(await attach('owned')).toMatchObject({
    status: 409,
    body: { detail: 'Another program runs the turns of this session and did not hand them over.' },
  });
  await kill();
  expect(await attach('owned')).toMatchObject({ status: 200, body: { gateway_health: 'healthy' } });
});

test('a gateway that does not come up is a 503, and says where to look', async () => {
  const { paths } = await launched('broken');
  writeFileSync(paths.accessToken, 'short', { mode: 0o600 });
  expect(await attach('broken')).toMatchObject({
    status: 503,
    body: { detail: 'The gateway did not come up; its log in the session root says why.' },
  });
  expect(served.faults.join()).toContain('access-token: it holds no token');
  rmSync(paths.accessToken);
  expect(await attach('broken')).toMatchObject({ status: 200, body: { gateway_health: 'healthy' } });
});

test('an agent that was only registered can have no gateway', async () => {
  tmux.run('new-session', '-d', '-s', 'guest', 'sleep 1000');
  await served.ask('POST', '/houmao/launches/register?session_name=guest&tool=claude');
  names.push('guest');
  for (const call of [attach, detach])
    expect(await call('guest')).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^Agent `guest` .* session root/) },
    });
});

test('nobody is attached to', async () => {
  for (const call of [attach, detach]) expect((await call('nobody')).status).toBe(404);
});

test('one that was halted is not replaced while it lives: attach says so, and finds it again when it goes on', async () => {
  const { paths } = await launched('halted');
  // tmux would have one in a window go on at once.
  const before = await attach('halted', { execution_mode: 'detached_process' });
  const { pid } = JSON.parse(readFileSync(paths.currentInstance, 'utf8'));
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await attach('halted')).toMatchObject({
      status: 409,
      body: {
        detail:
          'The gateway of this session runs but does not answer; detach it before you attach another one.',
      },
    });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await attach('halted')).toMatchObject({
    status: 200,
    body: { gateway_port: before.body.gateway_port },
  });
  expect(JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid).toBe(pid);
});
