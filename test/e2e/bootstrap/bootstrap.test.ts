import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, type TestOptions, test } from 'vitest';
import { startTimeOf } from '../../../src/foundation/processes.js';
import { copyOfCheckout } from '../../support/checkout-copy.js';
import { isServed } from '../../support/http.js';
import { startTalking } from '../../support/talking-program.js';
import { demoEnvironment, newHome } from '../demo/demo-under-test.js';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** A clone as far as the bootstrap looks at it, with a PATH of its own. */
let clone: string;
let programs: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'houmao-clone-'));
  programs = join(clone, 'bin');
  for (const path of [
    'scripts',
    'package.json',
    'package-lock.json',
    'sdk/package.json',
    'sdk-testing/package.json',
    'standin/package.json',
    'console/package.json',
  ])
    cpSync(join(project, path), join(clone, path), { recursive: true });
  mkdirSync(programs);
});
afterEach(() => rmSync(clone, { recursive: true }));

function program(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
}

/** @param preload JavaScript that runs before the bootstrap. */
function bootstrap(command: string, preload = '') {
  writeFileSync(join(clone, 'preload.cjs'), preload);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', join(clone, 'preload.cjs'), join(clone, 'scripts', 'bootstrap.mjs'), command],
    { env: { PATH: programs }, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

test.each(['18.20.4', '20.19.0', '22.13.0', '23.1.0'])('Node %s is refused in one line', (version) => {
  const preload = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  expect(bootstrap('start', preload)).toEqual({
    status: 1,
    stdout: '',
    stderr: `houmao: Node ${version} will not do; install Node 20.20 or newer, 22.14 or newer, or 24.\n`,
  });
});

test.each([
  ['test', [], 'tmux', 'tmux'],
  ['test', ['tmux'], 'chromium', 'chromium'],
  ['test', ['tmux', 'chromium', 'unshare'], 'ip', 'iproute2'],
  ['test:agents', [], 'tmux', 'tmux'],
])('npm run %s with only %j installed asks for what is missing', (command, present, missing, debian) => {
  for (const name of present) program(name, 'exit 0');
  expect(bootstrap(command)).toEqual({
    status: 1,
    stdout: '',
    stderr: `houmao: ${missing} was not found; install it first (Debian: apt-get install ${debian}).\n`,
  });
});

const onNode20: TestOptions = {
  skip: !process.version.startsWith('v20.'),
  meta: { needs: 'Node 20: newer ones compile no SQLite' },
};

test(
  'while SQLite is compiled that is said, and without a compiler what is missing, with the remedy and the log',
  onNode20,
  async () => {
    const go = join(clone, 'go');
    writeFileSync(join(clone, 'scripts/build.mjs'), '');
    program(
      'npm',
      `[ "$1" = rebuild ] || exit 0; echo "gyp info using node-gyp@12.4.0" >&2; until [ -e '${go}' ]; do sleep 0.1; done; echo "gyp ERR! stack Error: not found: make" >&2; exit 1`,
    );
    const run = startTalking(bootstrapFile(), { PATH: `${programs}:/usr/bin:/bin` });
    await run.saying(/houmao: compiling SQLite: .*\n/);
    writeFileSync(go, '');
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('houmao: SQLite could not be compiled: make ');
    expect(readFileSync(join(clone, 'npm-install.log'), 'utf8')).toContain('not found: make');
  },
);

test('a registry that does not answer is reported with the log', () => {
  program('npm', 'echo "npm ERR! network timeout" >&2; exit 1');
  expect(bootstrap('start')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^houmao: .*: network timeout\. npm-install\.log .*\n$/),
  });
});

test('an unknown command names those there are', () => {
  expect(bootstrap('dance').stderr).toMatch(/unknown command dance; there are start, check, test, /);
});

const bootstrapFile = () => join(clone, 'scripts', 'bootstrap.mjs');

test('packages that are not those of the lockfile are named, and installed', () => {
  symlinkSync(join(project, 'node_modules'), join(clone, 'node_modules'));
  const lock = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8'));
  lock.packages['node_modules/yaml'].version = '99.0.0';
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify(lock));
  program('npm', 'exit 1');
  expect(bootstrap('start').stdout).toMatch(/^houmao: installing packages: yaml is [\d.]+, not 99\.0\.0$/m);
});

test('packages that are those of the lockfile are taken as they are; without a build there is one', () => {
  symlinkSync(join(project, 'node_modules'), join(clone, 'node_modules'));
  writeFileSync(join(clone, 'scripts/build.mjs'), 'process.exit(1);');
  expect(bootstrap('start')).toEqual({
    status: 1,
    stdout: expect.stringMatching(/^houmao: building: .* no build yet\n$/),
    stderr: 'houmao: the build failed; see above.\n',
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s while packages are installed ends npm and what it started', async (signal, code) => {
  // The program that npm runs hears nothing of npm's own end.
  program('npm', `sleep 1000 & echo "$!" >'${clone}/pid'; wait`);
  const run = startTalking(bootstrapFile(), { PATH: `${programs}:/usr/bin:/bin` });
  await expect.poll(() => existsSync(join(clone, 'pid'))).toBe(true);
  const pid = () => readFileSync(join(clone, 'pid'), 'utf8');
  await expect.poll(pid).toMatch(/^\d+\n$/);
  run.child.kill(signal);
  expect(await run.ended).toBe(code);
  await expect.poll(() => startTimeOf(Number(pid()))).toBeNull();
  expect(run.output()).toMatch(/^houmao: installing packages: nothing is installed yet\n$/);
});

test('after an install and a build by hand `npm start` does neither; a signal to its script alone ends all', async () => {
  const copy = copyOfCheckout();
  const home = newHome();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const run = startTalking(join(copy, 'scripts/bootstrap.mjs'), demoEnvironment(home));
    const said = await run.saying(/Ctrl-C stops them/);
    // The server's address stands where one begins, those of the gateways beside their pages.
    const urls = said.match(/http:\/\/127\.0\.0\.1:\d+(?=\/(docs)?$)/gm) ?? [];
    expect([said.trim().split('\n')[0], urls.length]).toEqual([
      expect.stringMatching(/^Two stand-in agents are running/),
      3,
    ]);
    run.child.kill(signal);
    expect([await run.ended, run.output().match(/^Stop(ping$|ped\.)/gm)]).toEqual([
      0,
      ['Stopping', 'Stopped.'],
    ]);
    expect(await Promise.all(urls.map(isServed))).toEqual([false, false, false]);
  }
});
