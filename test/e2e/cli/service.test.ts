// `houmao-mgr service`: the way back after a start of the machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, type TestOptions, test } from 'vitest';
import { unitText } from '../../../src/cli/commands/service.js';
import { identify } from '../../../src/foundation/processes.js';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const needsSystemd: TestOptions = {
  skip: spawnSync('systemd-analyze', ['--version']).status !== 0,
  meta: { needs: 'systemd-analyze' },
};

/** A host whose systemctl reaches no user manager, whichever this machine has. */
function hostWithoutSystemd(): {
  folder: string;
  environment: NodeJS.ProcessEnv;
  run(...args: string[]): Promise<Ran>;
} {
  const folder = temporaryFolder();
  const environment = {
    ...managerEnvironment(folder),
    XDG_RUNTIME_DIR: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none`,
  };
  return { folder, environment, run: (...args) => manage(environment, args) };
}

test('without systemd nothing is called installed; the script that is left brings agent, gateway and server back', async () => {
  const { folder, environment, run } = hostWithoutSystemd();
  onTestFinished(async () => {
    await run('agents', 'stop', '--all');
    await run('server', 'stop');
  });
  const launch = ['--tool', 'claude', '--headless', '--no-tmux', '--executable', standinProgram];
  const launched = await run(
    'agents',
    'launch',
    ...launch,
    '--home',
    join(folder, 'home'),
    '--name',
    'alpha',
    '--json',
  );
  const { session_root } = JSON.parse(launched.stdout);
  const installed = await run('service', 'install', '--json');
  expect(installed.code).toBe(1);
  expect(JSON.parse(installed.stderr)).toMatchObject({ error_code: 'no_systemd' });
  const script = join(folder, '.houmao', 'boot.sh');
  expect(statSync(script).mode & 0o777).toBe(0o700);

  const { currentInstance } = sessionPaths(session_root);
  const { pid } = JSON.parse(readFileSync(currentInstance, 'utf8'));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => identify(pid)).toBeNull();
  // Its own port: another test may have the usual one.
  execFileSync('sh', ['-c', `sed -i "s/server start/server start --port 0/" ${script}`]);
  execFileSync(script, { env: environment, stdio: 'pipe' });
  expect((await run('agents', 'prompt', 'alpha', 'Hello')).stdout).toContain('Hello');
  expect(JSON.parse((await run('server', 'status', '--json')).stdout).running).toBe(true);

  const removed = JSON.parse((await run('service', 'uninstall', '--json')).stdout);
  expect(removed).toEqual({ removed: [script] });
  expect(existsSync(script)).toBe(false);
});

test('systemd takes the unit', needsSystemd, () => {
  const path = join(temporaryFolder(), 'houmao.service');
  const environment = { PATH: process.env.PATH ?? '', TMUX_TMPDIR: '/tmp/100% "odd" $HOME' };
  writeFileSync(path, unitText({ program: [process.execPath, standinProgram], environment }));
  const { status, stderr } = spawnSync('systemd-analyze', ['--user', '--man=no', 'verify', path], {
    env: { ...process.env, XDG_RUNTIME_DIR: dirname(path) },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
