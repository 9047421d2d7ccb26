// The one door of `npm start`, `npm test` and their like on a fresh clone: installs and builds what is missing, says
// what it is doing, then runs the command. Plain JavaScript without imports of packages: it runs before any is there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const commands = {
  start: { needs: [], run: ['dist/programs/demo.js'] },
  test: { needs: ['tmux', 'chromium', 'unshare', 'ip'], run: ['node_modules/vitest/vitest.mjs', 'run'] },
  'test:agents': { needs: ['tmux'], run: ['test/agents/run.mjs'] },
  'test:breaking': {
    needs: ['git'],
    run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/breaking/vitest.config.ts'],
  },
  'test:clients': { needs: [], run: ['test/clients/run.mjs'] },
  'test:schemathesis': { needs: ['python3'], run: ['test/schemathesis/run.mjs'] },
  'test:hostile': { needs: [], run: ['test/hostile/run.mjs'] },
  torture: { needs: ['tmux'], run: ['test/torture/main.mjs'] },
  mutation: {
    needs: [],
    run: ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'scripts/mutation/stryker.config.mjs'],
  },
  bench: { needs: [], run: ['scripts/bench/main.mjs'] },
  'example:review': { needs: [], run: ['examples/review-loop.mjs'] },
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
const packages = { ip: 'iproute2', unshare: 'util-linux' };

/** Programs of the system that a command needs. */
function checkPrograms(names) {
  for (const name of names) {
    const found = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
    if (!found)
      fail(`${name} was not found; install it first (Debian: apt-get install ${packages[name] ?? name}).`);
  }
}

const stamp = join('node_modules', '.houmao-installed');
const lockDigest = () => createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');

/** Headers beside this very Node serve an addon better than those of another one that npm may be configured for. */
function npmEnvironment() {
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include', 'node', 'node_version.h'));
  return headers ? { ...process.env, npm_config_nodedir: prefix } : process.env;
}

function npm(args) {
  const log = [];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    encoding: 'utf8',
    env: npmEnvironment(),
    maxBuffer: 1 << 28,
  });
  log.push(stdout ?? '', stderr ?? '');
  return { ok: status === 0, log: log.join('\n') };
}

function install() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest()) return;
  say('installing packages (a minute or two where the SQLite addon has to be compiled)');
  const { ok, log } = npm(['ci', '--no-audit', '--no-fund']);
  if (!ok) failInstall(log);
  writeFileSync(stamp, lockDigest());
}

function failInstall(log) {
  writeFileSync('npm-install.log', log);
  if (/gyp ERR|node-gyp|not found: (make|g\+\+|cc|python)/i.test(log)) {
    fail(
      'the SQLite addon could not be compiled; install a compiler (Debian: apt-get install python3 make g++). See npm-install.log.',
    );
  }
  fail('the packages could not be installed; see npm-install.log.');
}

/** A node_modules made by another Node has an addon that this one cannot load. */
function checkAddon() {
  const trouble = loadAddon();
  if (trouble === null) return;
  say(`the SQLite addon does not fit this Node (${trouble}); compiling it anew`);
  const { ok, log } = npm(['rebuild', 'better-sqlite3']);
  if (!ok) failInstall(log);
  if (loadAddon() !== null)
    fail('the SQLite addon still cannot be loaded; remove node_modules and try again.');
}

/** Tried in a process of its own: an addon that does not fit may take the process with it. */
function loadAddon() {
  const program = "globalThis.held = new (require('better-sqlite3'))(':memory:')";
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  if (status === 0) return null;
  return /NODE_MODULE_VERSION (\d+)/.exec(stderr)?.[0] ?? /Error: (.*)/.exec(stderr)?.[1] ?? `exit ${status}`;
}

function newestIn(path) {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) return 0;
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function build() {
  const mark = join('dist', '.houmao-built');
  const sources = [
    'src',
    'generated',
    'sdk/src',
    'sdk/package.json',
    'scripts/build.mjs',
    'scripts/build',
    'scripts/rehearsals',
    'package.json',
    'tsconfig.json',
    'tsconfig.base.json',
    stamp,
  ];
  const newest = Math.max(
    ...sources.map((path) => (path === 'sdk/src' ? newestSdkSource() : newestIn(path))),
  );
  // Another Node passes over the compiled code that this one keeps.
  const ours = existsSync(mark) && readFileSync(mark, 'utf8') === process.version;
  if (ours && statSync(mark).mtimeMs >= newest) return;
  say('building');
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  if (status !== 0) fail('the build failed; see above.');
  writeFileSync(mark, process.version);
}

/** The SDK's copy of the contract is made by the build itself and does not count as a source. */
const newestSdkSource = () =>
  Math.max(
    0,
    ...readdirSync('sdk/src')
      .filter((name) => name !== 'generated')
      .map((name) => newestIn(join('sdk/src', name))),
  );

const [name = 'start', ...rest] = process.argv.slice(2);
const command = commands[name];
if (!command) fail(`unknown command ${name}; there are ${Object.keys(commands).join(', ')}.`);
checkNode();
checkPrograms(command.needs);
install();
checkAddon();
build();
const child = spawn(process.execPath, [...command.run, ...rest], { stdio: 'inherit' });
// Ctrl-C reaches the child by itself; a signal sent to us alone has to be passed on.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
// npm and its shell die of a SIGTERM without a word to us.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 250).unref();
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
