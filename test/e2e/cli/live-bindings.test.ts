import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';

// Where the gateway of an agent is, as the tmux session and the files of the agent tell everybody.

const folder = mkdtempSync(join(tmpdir(), 'houmao-bindings-'));
const environment = { ...managerEnvironment(folder), TMUX_TMPDIR: folder, TMUX: '' };
const run = (...args: string[]) => manage(environment, args);
afterEach(() => run('agents', 'stop', 'gamma'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Launched {
  session: string;
  root: string;
  port: string;
  gatewayPid: number;
}

async function launch(): Promise<Launched> {
  const { code, stdout } = await run(
    ...['agents', 'launch', '--tool', 'claude', '--headless', '--executable', standinProgram],
    ...['--workdir', folder, '--home', join(folder, 'home'), '--name', 'gamma', '--json'],
  );
  expect(code).toBe(0);
  const { tmux_session_name: session, session_root: root, gateway_url: url } = JSON.parse(stdout);
  const gatewayPid = Number(readFileSync(join(root, 'gateway/run/gateway.pid'), 'utf8'));
  return { session, root, port: new URL(url).port, gatewayPid };
}

/** The variables of the tmux session that say where the gateway is. */
const bindings = ({ session }: Launched): string[] =>
  execFileSync('tmux', ['show-environment', '-t', session], { env: environment, encoding: 'utf8' })
    .split('\n')
    .filter((line) => /^HOUMAO_(AGENT_)?GATEWAY_/.test(line))
    .sort();

function expectUnbound(agent: Launched): void {
  expect(bindings(agent)).toEqual([]);
  expect(readdirSync(join(agent.root, 'gateway/run'))).not.toContain('current-instance.json');
  const state = JSON.parse(readFileSync(join(agent.root, 'gateway/state.json'), 'utf8'));
  expect(state).toMatchObject({ gateway_health: 'not_attached', request_admission: 'blocked_unavailable' });
}

test('are published while it is attached, and taken away when it is detached', async () => {
  const agent = await launch();
  expect(bindings(agent)).toEqual([
    'HOUMAO_AGENT_GATEWAY_HOST=127.0.0.1',
    `HOUMAO_AGENT_GATEWAY_PORT=${agent.port}`,
    'HOUMAO_GATEWAY_PROTOCOL_VERSION=v1',
    `HOUMAO_GATEWAY_STATE_PATH=${agent.root}/gateway/state.json`,
  ]);
  expect((await run('agents', 'gateway', 'detach', 'gamma')).code).toBe(0);
  expectUnbound(agent);
});

test.each([
  [['agents', 'gateway', 'status', 'gamma']],
  [['agents', 'list']],
  [['agents', 'prompt', 'gamma', 'x']],
])('of a gateway that was killed are taken away by the first look for it: %j', async (command) => {
  const agent = await launch();
  process.kill(agent.gatewayPid, 'SIGKILL');
  await run(...command);
  expectUnbound(agent);
});

test('of a gateway that only gives no answer stay', async () => {
  const agent = await launch();
  process.kill(agent.gatewayPid, 'SIGSTOP');
  expect((await run('agents', 'gateway', 'status', 'gamma')).stderr).toContain('but does not answer');
  expect(bindings(agent)).toHaveLength(4);
  process.kill(agent.gatewayPid, 'SIGCONT');
});
