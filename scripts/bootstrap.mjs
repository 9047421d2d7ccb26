// The one door of `npm start`, `npm test` and their like on a fresh clone: installs and builds what is missing, says
// what it is doing, then runs the command. Plain JavaScript without imports of packages: it runs before any is there.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  installFailure,
  installProgress,
  npmEnvironment,
  stillEverySeconds,
} from './bootstrap/install-progress.mjs';
import { installedDifference } from './bootstrap/installed-tree.mjs';
import { programRunner } from './bootstrap/run-program.mjs';
import { buildDifference } from './build/build-record.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const gate = (tier) => ['scripts/gate/main.mjs', tier];
/** From Node 22 on SQLite comes ready-made, and nothing is compiled (src/foundation/open-database.ts). */
const compilesSqlite = Number(process.versions.node.split('.')[0]) < 22;
const commands = {
  start: { needs: [], run: ['dist/programs/demo.js'] },
  check: { needs: [], run: gate('check') },
  test: { needs: ['tmux', 'chromium', 'unshare', 'ip'], run: gate('test') },
  'test:all': { needs: ['tmux', 'chromium', 'unshare', 'ip'], run: gate('all') },
  'test:stable': { needs: ['tmux', 'chromium', 'unshare', 'ip'], run: gate('stable') },
  'test:times': { needs: [], run: gate('times') },
  'test:agents': { needs: ['tmux'], run: ['test/agents/run.mjs'] },
  'test:breaking': {
    needs: ['git'],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/breaking/vitest.config.ts'],
  },
  'test:clients': { needs: [], run: ['test/clients/run.mjs'] },
  'test:mail-servers': { needs: ['tmux', 'java'], run: ['test/mail-servers/run.mjs'] },
  'test:older': { needs: ['tmux', 'python3'], run: ['test/older/run.mjs'] },
  'test:protocols': {
    needs: ['tmux', 'python3'],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/protocols/vitest.config.ts'],
  },
  'test:runtimes': {
    needs: [],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/runtimes/vitest.config.ts'],
  },
  'test:installed': {
    needs: ['tmux'],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/installed/vitest.config.ts'],
  },
  'test:releases': {
    needs: ['git'],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/releases/vitest.config.ts'],
  },
  'test:schemathesis': { needs: ['python3'], run: ['test/schemathesis/run.mjs'] },
  'test:hostile': { needs: [], run: ['test/hostile/run.mjs'] },
  torture: { needs: ['tmux'], run: ['test/torture/main.mjs'] },
  mutation: {
    needs: [],
    run: ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'scripts/mutation/stryker.config.mjs'],
  },
  bench: { needs: [], run: ['scripts/bench/main.mjs'] },
  'example:review': { needs: [], run: ['examples/review-loop.mjs'] },
  build: { needs: [], run: null },
};

function fail(line) {
  console.error(`houmao: ${line}`);
  process.exit(1);
}
const say = (line) => console.log(`houmao: ${line}`);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const good = (major === 20 && minor >= 20) || (major === 22 && minor >= 14) || major >= 24;
  if (!good)
    fail(`Node ${process.versions.node} will not do; install Node 20.20 or newer, 22.14 or newer, or 24.`);
}

/** The Debian packages of programs that are called otherwise. */
const packages = { ip: 'iproute2', java: 'default-jdk-headless', unshare: 'util-linux' };

/** Programs of the system that a command needs. */
function checkPrograms(names) {
  for (const name of names) {
    const found = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
    if (!found)
      fail(`${name} was not found; install it first (Debian: apt-get install ${packages[name] ?? name}).`);
  }
}

async function npm(args) {
  const began = Date.now();
  const { heard, still } = installProgress(say);
  const telling = setInterval(() => still(Math.round((Date.now() - began) / 1000)), stillEverySeconds * 1000);
  const { code, stdout, stderr } = await step(
    'npm',
    [...args, '--foreground-scripts'],
    { env: npmEnvironment(process.env, process.execPath), stdio: ['ignore', 'pipe', 'pipe'] },
    heard,
  );
  clearInterval(telling);
  return { ok: code === 0, log: `${stdout}\n${stderr}` };
}

/** @returns {Promise<boolean>} whether packages were installed, so that nothing is compiled yet */
async function install() {
  const difference = installedDifference(root);
  if (difference === null) return false;
  say(`installing packages: ${difference}`);
  await installPackages();
  return true;
}

/**
 * Without scripts: SQLite is compiled apart, and only where it must be. By the lockfile npm would compile better-sqlite3 13 everywhere, as
 * the lockfile has no `gypfile: false` (https://github.com/npm/cli/issues/3341).
 */
async function installPackages() {
  const { ok, log } = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  if (!ok) failInstall(log);
}

function failInstall(log) {
  const file = 'npm-install.log';
  writeFileSync(file, log);
  fail(installFailure(log, file));
}

/**
 * @param {string | null} trouble of `loadAddon`; null where nothing was compiled before
 * @returns what npm wrote, and whether it worked
 */
async function compileSqlite(trouble) {
  if (trouble !== null) say(`the SQLite addon does not fit this Node (${trouble}); compiling it again`);
  return npm(['rebuild', 'better-sqlite3']);
}

async function expectAddon() {
  if ((await loadAddon()) !== null)
    fail('the SQLite addon still cannot be loaded; remove node_modules and try again.');
}

/**
 * A node_modules made by another Node has an addon that this one cannot load. Compiling takes a minute or more of one processor, and the
 * build does not need it: they go on side by side.
 * @param {boolean} installed whether `install` did something
 */
async function prepare(installed) {
  // Sources are compared while the addon is tried.
  const loading = installed && compilesSqlite ? null : loadAddon();
  const difference = buildDifference(root);
  const trouble = await loading;
  if (trouble !== null && !compilesSqlite) {
    say(`the packages do not fit this Node (${trouble}); installing them again`);
    await installPackages();
    await expectAddon();
  }
  if (compilesSqlite && (loading === null || trouble !== null)) {
    // Each goes to its end: nothing is left running behind a failure of the other.
    const [compiled, built] = await Promise.all([compileSqlite(trouble), buildWithoutSqlite(difference)]);
    if (!compiled.ok) failInstall(compiled.log);
    if (!built) failBuild();
    await expectAddon();
    if (!(await build(buildDifference(root)))) failBuild();
  } else if (!(await build(difference))) failBuild();
}

/** Tried in a process of its own: an addon that does not fit may take the process with it. */
async function loadAddon() {
  const program = `new (require('${compilesSqlite ? 'better-sqlite3' : 'better-sqlite3-prebuilt'}'))(':memory:')`;
  const { code, stderr } = await step(process.execPath, ['-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (code === 0) return null;
  return /NODE_MODULE_VERSION (\d+)/.exec(stderr)?.[0] ?? /Error: (.*)/.exec(stderr)?.[1] ?? `exit ${code}`;
}

const buildWithoutSqlite = (difference) =>
  difference?.what === 'all' ? build(difference, '--no-cache') : true;

/**
 * @param difference of `buildDifference`
 * @returns {Promise<boolean>} whether the build is there
 */
async function build(difference, option = difference?.what === 'cache' ? '--cache-only' : '--all') {
  if (difference === null) return true;
  say(`building: ${difference.because}`);
  const { code } = await step(process.execPath, ['scripts/build.mjs', option], { stdio: 'inherit' });
  return code === 0;
}

const failBuild = () => fail('the build failed; see above.');

const [name = 'start', ...rest] = process.argv.slice(2);
const command = commands[name];
if (!command) fail(`unknown command ${name}; there are ${Object.keys(commands).join(', ')}.`);
checkNode();
checkPrograms(command.needs);
const { step, last } = programRunner();
await prepare(await install());
if (command.run === null) process.exit(0);
process.exit(await last(process.execPath, [...command.run, ...rest], { stdio: 'inherit' }));
