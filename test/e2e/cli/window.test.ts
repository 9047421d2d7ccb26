import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { call, promptAndWait } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { gatewayProgram, standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

const tmux = usePrivateTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-window-'));
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);

async function launch(...flags: string[]) {
  const agent = ['--tool', 'claude', '--headless', '--executable', standinProgram];
  const place = ['--workdir', folder, '--home', join(folder, 'home'), '--name', 'alpha', '--json'];
  const { code, stdout, stderr } = await run('agents', 'launch', ...agent, ...place, ...flags);
  return { code, stderr, ...(code === 0 ? JSON.parse(stdout) : {}) };
}

const windowsOf = (session: string): string[] =>
  tmux
    .run('list-windows', '-t', `=${session}`, '-F', '#{window_index} #{window_name} #{window_id} #{pane_id}')
    .trim()
    .split('\n');
const screenOf = (pane: string): string => tmux.run('capture-pane', '-p', '-J', '-t', pane);
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

afterEach(async () => {
  await run('agents', 'stop', 'alpha');
});
afterAll(() => {
  tmux.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('a gateway in a window of its agent says where it is, shows its log, and closes with it', async () => {
  const { gateway_url: url, session_root: root, tmux_session_name: session } = await launch('--window');
  const [agent, gateway] = windowsOf(session);
  expect([agent, gateway]).toEqual([
    expect.stringMatching(/^0 agent /),
    expect.stringMatching(/^[1-9]\d* gateway /),
  ]);
  const [index, , windowId, paneId] = gateway!.split(' ');
  const handle = {
    gateway_tmux_window_id: windowId,
    gateway_tmux_window_index: index,
    gateway_tmux_pane_id: paneId,
  };
  const { body: status } = await call(url, 'GET', '/v1/status');
  expect(status).toMatchObject({ execution_mode: 'tmux_auxiliary_window', ...handle });
  expect(json(join(root, 'gateway/run/current-instance.json'))).toMatchObject({
    execution_mode: 'tmux_auxiliary_window',
    tmux_window_id: windowId,
    tmux_window_index: index,
    tmux_pane_id: paneId,
  });
  expect(json(join(root, 'gateway/gateway_manifest.json'))).toMatchObject({
    gateway_execution_mode: 'tmux_auxiliary_window',
    ...handle,
  });
  const record = await promptAndWait(url, 'Hello');
  expect(record.state).toBe('completed');
  await expect
    .poll(() => screenOf(paneId!))
    .toContain(`completed gateway request request_id=${record.request_id}`);
  expect(screenOf(paneId!)).toContain('gateway started host=127.0.0.1');
  const lines = readFileSync(join(root, 'gateway/logs/gateway.log'), 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('gateway started'))).toHaveLength(1);

  expect(await run('agents', 'gateway', 'detach', 'alpha')).toMatchObject({ code: 0 });
  expect(windowsOf(session)).toEqual([agent]);
  expect(json(join(root, 'gateway/state.json'))).toMatchObject({
    gateway_health: 'not_attached',
    execution_mode: 'tmux_auxiliary_window',
  });

  // The next one goes where this one was, by default.
  expect(await run('agents', 'gateway', 'attach', 'alpha')).toMatchObject({ code: 0 });
  expect(windowsOf(session)).toEqual([agent, expect.stringContaining(' gateway ')]);
  await run('agents', 'gateway', 'detach', 'alpha');
  expect(await run('agents', 'gateway', 'attach', 'alpha', '--background')).toMatchObject({ code: 0 });
  expect(windowsOf(session)).toEqual([agent]);
});

test('closing the window stops the gateway as a signal does: nothing is lost', async () => {
  const { gateway_url: url, session_root: root, tmux_session_name: session } = await launch('--window');
  await call(url, 'PUT', '/v1/control/queue', { paused: true });
  const { body } = await call(url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'later' },
  });
  tmux.run('kill-window', '-t', `=${session}:gateway`);
  await expect
    .poll(() => readFileSync(join(root, 'gateway/logs/gateway.log'), 'utf8'))
    .toContain('gateway stopping');
  let again = '';
  // The one that stops is in the way of the next one until it has ended.
  await expect
    .poll(async () => {
      const { code, stdout, stderr } = await run('agents', 'gateway', 'attach', 'alpha', '--json');
      const { gateway_url, started } = code === 0 ? JSON.parse(stdout) : {};
      again = gateway_url;
      return { code, stderr, started };
    })
    .toMatchObject({ code: 0, started: true });
  await call(again, 'PUT', '/v1/control/queue', { paused: false });
  expect((await call(again, 'GET', `/v1/requests/${body.request_id}?wait_seconds=30`)).body.state).toBe(
    'completed',
  );
});

test('a port that is taken is named, and the window is gone', async () => {
  const { gateway_url: url, tmux_session_name: session } = await launch('--background');
  const port = new URL(url).port;
  await run('agents', 'gateway', 'detach', 'alpha');
  const { createServer } = await import('node:http');
  const server = createServer().listen(Number(port), '127.0.0.1');
  const failed = await run('agents', 'gateway', 'attach', 'alpha', '--window');
  server.close();
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`another program has port ${port} of 127.0.0.1`),
  });
  expect(windowsOf(session)).toHaveLength(1);
});

test('an agent without tmux has no place for a window, and says what to do', async () => {
  const { code, stderr } = await launch('--no-tmux', '--window');
  expect([code, stderr]).toEqual([1, expect.stringContaining('--background')]);
});

test.each([
  [{ HOUMAO_GATEWAY_TMUX_WINDOW_INDEX: '0' }, 'which is the window of the agent'],
  [{ HOUMAO_GATEWAY_TMUX_WINDOW_ID: '' }, 'HOUMAO_GATEWAY_TMUX_WINDOW_ID must name'],
])('a gateway that gets %j about its window does not start', async (change, words) => {
  const { session_root: root } = await launch('--no-gateway');
  const window = {
    HOUMAO_GATEWAY_EXECUTION_MODE: 'tmux_auxiliary_window',
    HOUMAO_GATEWAY_TMUX_WINDOW_ID: '@9',
    HOUMAO_GATEWAY_TMUX_WINDOW_INDEX: '2',
    HOUMAO_GATEWAY_TMUX_PANE_ID: '%9',
  };
  const { status, stderr } = spawnSync(
    process.execPath,
    [gatewayProgram, '--gateway-root', root, '--host', '127.0.0.1', '--port', '0'],
    { env: { ...environment, ...window, ...change }, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
});

test('--diagnostic-log is kept until it is switched off', async () => {
  const { session_root: root } = await launch('--no-tmux', '--diagnostic-log');
  const requestedOf = () => json(join(root, 'gateway/desired-config.json')).desired_diagnostic_logging;
  expect(requestedOf()).toEqual({ enabled: true, max_bytes: 1048576, backup_count: 5 });
  const log = join(root, 'gateway/logs/diagnostics/gateway-diagnostic.log');
  // Its lines are written behind the answers that they tell of.
  await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8')).toContain('"path":"/health"');
  await run('agents', 'gateway', 'detach', 'alpha');
  await run('agents', 'gateway', 'attach', 'alpha', '--no-diagnostic-log');
  expect(requestedOf().enabled).toBe(false);
});
