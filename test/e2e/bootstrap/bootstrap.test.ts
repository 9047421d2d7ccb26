import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** A clone as far as the bootstrap looks at it, with a PATH of its own. */
let clone: string;
let programs: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'houmao-clone-'));
  programs = join(clone, 'bin');
  for (const file of ['scripts/bootstrap.mjs', 'package.json', 'package-lock.json']) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    copyFileSync(join(project, file), join(clone, file));
  }
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

test('without a compiler the addon is named, with the remedy and the log', () => {
  program('npm', 'echo "gyp ERR! stack Error: not found: make" >&2; exit 1');
  const { status, stdout, stderr } = bootstrap('start');
  expect([status, stdout.split('\n').length]).toEqual([1, 2]);
  expect(stderr).toBe(
    'houmao: the SQLite addon could not be compiled; install a compiler (Debian: apt-get install python3 make g++). See npm-install.log.\n',
  );
  expect(existsSync(join(clone, 'npm-install.log'))).toBe(true);
});

test('a registry that does not answer is told with the log', () => {
  program('npm', 'echo "npm ERR! network timeout" >&2; exit 1');
  expect(bootstrap('start')).toMatchObject({
    status: 1,
    stderr: 'houmao: the packages could not be installed; see npm-install.log.\n',
  });
});

test('an unknown command names those there are', () => {
  expect(bootstrap('dance').stderr).toMatch(/unknown command dance; there are start, test, /);
});
