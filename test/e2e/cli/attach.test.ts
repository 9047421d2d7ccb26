// A gateway that runs otherwise than it is asked to: what differs is said, and `--restart` brings it about.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
let root = '';
const attach = (...args: string[]) => run('agents', 'gateway', 'attach', 'alpha', ...args);
const served = async (...args: string[]): Promise<{ gateway_url: string; pid: number; started: boolean }> =>
  JSON.parse((await attach('--json', ...args)).stdout);

beforeAll(async () => {
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--no-tmux'];
  const launched = await run('agents', 'launch', ...tool, '--workdir', folder, '--name', 'alpha', '--json');
  expect(launched).toMatchObject({ code: 0 });
  root = JSON.parse(launched.stdout).session_root;
});
afterAll(async () => {
  await run('agents', 'stop', 'alpha');
});

test('what a running gateway has already changes nothing', async () => {
  const before = await served();
  const port = new URL(before.gateway_url).port;
  expect(await served('--port', port, '--host', '127.0.0.1', '--background')).toEqual({
    ...before,
    started: false,
  });
  expect(await served('--port', '0')).toMatchObject({ pid: before.pid });
  expect(await attach()).toMatchObject({ code: 0, stderr: '' });
});

test('missing settings are reported and change nothing, and the printed command makes them', async () => {
  const before = await served();
  const refused = await attach('--diagnostic-log', '--allowed-origin', 'http://here.example');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(
    `A gateway with other settings already serves at ${before.gateway_url}: it keeps no diagnostic log; it was started without --allowed-origin http://here.example.`,
  );
  expect(await served()).toMatchObject({ pid: before.pid });
  const [, command] = /: houmao-mgr (agents gateway attach .*)\n$/.exec(refused.stderr)!;
  const again = await run(...command!.split(' '));
  expect(again).toMatchObject({ code: 0, stdout: `The gateway serves at ${before.gateway_url}\n` });
  expect(await served('--diagnostic-log', '--allowed-origin', 'http://here.example')).toMatchObject({
    started: false,
  });
  const health = await fetch(`${before.gateway_url}/health`, { headers: { Origin: 'http://here.example' } });
  expect(health.status).toBe(200);
  // Nothing keeps who may call, and so its end is reported.
  const gone = await attach('--no-diagnostic-log', '--restart');
  expect(gone.stderr).toContain(
    'Not kept for the next start; give again at the next attach: --allowed-origin http://here.example\n',
  );
  expect((await attach('--restart')).stderr).not.toContain('Not kept for the next start');
});

test('another port is taken by a restart', async () => {
  const { pid } = await served();
  const other = await served('--port', '0', '--restart');
  expect(other).toMatchObject({ started: true });
  expect(other.pid).not.toBe(pid);
  const port = Number(new URL(other.gateway_url).port);
  const refused = await attach('--port', String(port === 5555 ? 5556 : 5555));
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`its port is ${port}, not 555`) });
});

test('a restart that could not come to anything ends nothing, and says what is in the way', async () => {
  const { pid } = await served();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const onTaken = await attach('--port', String(port), '--restart');
  taken.close();
  const inWindow = await attach('--window', '--restart');
  for (const { stderr } of [onTaken, inWindow]) expect(stderr).not.toContain('Stopping');
  expect([onTaken.code, onTaken.stderr]).toEqual([
    1,
    `houmao-mgr: Cannot listen: another program has port ${port} of 127.0.0.1; choose another --port, or 0 for any free one\nThe gateway of alpha was left as it is.\n`,
  ]);
  expect([inWindow.code, inWindow.stderr]).toEqual([
    1,
    'houmao-mgr: The agent has no tmux session for a window; start the gateway with --background.\nThe gateway of alpha was left as it is.\n',
  ]);
  expect(await served()).toMatchObject({ pid, started: false });
});

test('a restart that comes to nothing says that the agent has no gateway now, and how it gets one again', async () => {
  const { gateway_url: before } = await served();
  const token = join(root, 'gateway', 'access-token');
  const kept = readFileSync(token);
  writeFileSync(token, 'short');
  const failed = await attach('--restart');
  writeFileSync(token, kept);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(
    /it holds no token.*\nThe gateway that ran before is stopped, so alpha has none now\. Start a gateway at the same address: houmao-mgr agents gateway attach alpha\n$/,
  );
  expect(await served()).toMatchObject({ gateway_url: before, started: true });
});

test('what a detach ends, keeps and loses is said', async () => {
  const { gateway_url: url } = await served();
  const reminder = ['reminders', 'create', 'alpha', '--prompt', 'P', '--in', '1h'];
  for (const more of [[], ['--in-memory']])
    expect(await run('agents', 'gateway', ...reminder, ...more)).toMatchObject({ code: 0 });
  const running = await run('agents', 'prompt', 'alpha', '[[slow=60000]] long', '--no-wait');
  await expect.poll(async () => (await call(url, 'GET', '/v1/status')).body.active_execution).toBe('running');
  const waiting = await run('agents', 'prompt', 'alpha', 'later', '--no-wait');
  const { stderr } = await run('agents', 'gateway', 'detach', 'alpha');
  expect(stderr).toMatch(
    new RegExp(
      `^Stays queued .*: ${waiting.stdout.trim()}\\nRunning, .*: turn-\\S+\\nLost .*: 1 reminder\\nKept .*: 1 reminder\\n`,
    ),
  );
  const { gateway_url } = await served();
  const { body } = await call(gateway_url, 'GET', `/v1/requests/${running.stdout.trim()}`);
  expect(body).toMatchObject({ state: 'failed' });
  expect((await call(gateway_url, 'GET', '/v1/reminders')).body.reminders).toHaveLength(1);
});

test('one that hangs is named as that, and --restart replaces it', async () => {
  const { pid } = await served();
  process.kill(pid, 'SIGSTOP');
  const refused = await attach();
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toMatch(/The gateway of alpha runs \(process \d+\) but does not answer/);
  const hung = identify(pid)!;
  expect(await served('--restart')).toMatchObject({ started: true });
  expect(isAlive(hung)).toBe(false);
});
