// Runs one command where nothing but loopback exists, and where it can leave nothing behind.
//
// One anonymous set of namespaces (network, mount, pid) holds the whole test run: vitest, gateways, tmux server, other
// servers and CLIs. Why this and not a named network namespace that single commands are sent into:
//   - everything started by a test is inside by inheritance; nothing can be forgotten outside;
//   - nothing has to be created before or removed after, so a crash leaves no state on the machine;
//   - the kernel ends every process when pid 1 of the pid namespace ends, also what a CLI daemonised;
//   - parallel runs do not meet: each has its own loopback and so its own ports.
// A network namespace alone does not keep path-based unix sockets out (claude opens them in /tmp, codex too), so
// the places where these and people's own files live are covered by empty tmpfs; only the project, what is made
// visible and Node are bound back. The environment is built from nothing.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Covered in this order, with these modes; /tmp is last because the stage for the mounts may be in it. */
const COVERED = {
  '/root': '755',
  '/home': '755',
  '/run': '755',
  '/var/tmp': '1777',
  '/dev/shm': '1777',
  '/tmp': '1777',
};
/** Not below /tmp: codex refuses to keep its helper programs below a temporary directory. */
const HOME_INSIDE = '/home/agent';
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const PROBE = 'ip link set lo up && mount -n -t tmpfs none /run';

const PROGRAMS = {
  unshare: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
  ip: 'iproute2',
  tmux: 'tmux',
};

export class IsolationError extends Error {}

/**
 * @param {string[]} command
 * @param {{ cwd: string, visible: string[], env?: Record<string, string>, timeLimitMs: number }} options
 * @returns {Promise<number>} the exit code of the command
 */
export async function runIsolated(command, { cwd, visible, env = {}, timeLimitMs }) {
  const unshare = findUnshare();
  const node = realpathSync(process.execPath);
  const kept = [cwd, path.dirname(path.dirname(node)), ...visible].map((dir) => realpathSync(dir));
  const stage = mkdtempSync(path.join(realpathSync(tmpdir()), 'houmao-isolated-'));
  const setup = setupScript({ stage, kept, cwd: realpathSync(cwd) });
  // --pdeathsig and --kill-child make a chain: if this process dies, however it dies, so does everything inside.
  const args = ['--pdeathsig', 'KILL', ...unshare, ...NAMESPACES, 'sh', '-c', setup, 'sh', ...command];
  try {
    return await supervise('setpriv', args, { ...scrubbedEnv(path.dirname(node)), ...env }, timeLimitMs);
  } finally {
    rmdirSync(stage);
  }
}

/** Nothing of the caller's environment comes through, except what only changes how output looks. */
function scrubbedEnv(nodeDir) {
  const env = {
    PATH: `${nodeDir}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: HOME_INSIDE,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    HOUMAO_SANDBOX: '1',
  };
  // CI is not among them: Gemini CLI takes it for a sign that nobody sits at the terminal.
  for (const name of ['NO_COLOR', 'FORCE_COLOR']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/**
 * The command line of an `unshare` that works here; throws an IsolationError that says what to do. Also good as a
 * check before the large download.
 */
export function findUnshare() {
  if (process.platform !== 'linux') throw new IsolationError('this tier needs Linux namespaces');
  const missing = Object.keys(PROGRAMS).filter((program) => !onPath(program));
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => PROGRAMS[program]))].join(' ');
    throw new IsolationError(`missing: ${missing.join(', ')}; run: apt-get install ${packages}`);
  }
  const asUser = ['unshare', '--user', '--map-root-user'];
  const candidates = process.getuid() === 0 ? [['unshare'], asUser] : [asUser];
  for (const candidate of candidates) {
    const [program, ...flags] = [...candidate, ...NAMESPACES, 'sh', '-c', PROBE];
    if (spawnSync(program, flags, { stdio: 'ignore', env: systemEnv() }).status === 0) return candidate;
  }
  throw new IsolationError(
    process.getuid() === 0
      ? 'cannot make namespaces although root: run in a container with CAP_SYS_ADMIN (docker: --privileged)'
      : 'cannot make namespaces as this user: run as root, or allow unprivileged user namespaces ' +
          '(sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)',
  );
}

function onPath(program) {
  return systemEnv()
    .PATH.split(':')
    .some((dir) => dir !== '' && existsSync(path.join(dir, program)));
}

/** Debian keeps `ip` in sbin, which a user's PATH may lack. */
function systemEnv() {
  return { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/bin:/sbin:/bin` };
}

/**
 * Covers each directory with a tmpfs that is filled on a stage first (the kept directories are still visible
 * then) and moved into place. The command is a child of the shell, not its successor: pid 1 must reap orphans,
 * or ended grandchildren would look alive to the tests. mount -n: there is no table of mounts in /run to update.
 */
function setupScript({ stage, kept, cwd }) {
  const lines = ['set -e', 'ip link set lo up'];
  for (const [dir, mode] of Object.entries(COVERED)) {
    if (!existsSync(dir) || realpathSync(dir) !== dir || kept.includes(dir)) continue;
    lines.push(`mount -n -t tmpfs -o mode=${mode},size=2g none ${quote(stage)}`);
    for (const source of topmost(kept.filter((entry) => entry.startsWith(`${dir}/`)))) {
      const target = quote(path.join(stage, path.relative(dir, source)));
      lines.push(`mkdir -p ${target}`, `mount -n --rbind ${quote(source)} ${target}`);
    }
    lines.push(`mount -n --move ${quote(stage)} ${dir}`);
  }
  lines.push(`mkdir -p ${HOME_INSIDE}`, `cd ${quote(cwd)}`, 'set +e', '"$@"', 'exit $?');
  return lines.join('\n');
}

/** Without the entries that are below another entry. */
function topmost(dirs) {
  const unique = [...new Set(dirs)];
  return unique.filter((dir) => !unique.some((other) => dir.startsWith(`${other}/`)));
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Waits for the sandbox and ends it after the time limit or on a signal (SIGKILL: unshare ignores the others). */
function supervise(program, args, env, timeLimitMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
    const end = () => child.kill('SIGKILL');
    const limit = setTimeout(() => {
      console.error(`houmao: stopped, still running after ${timeLimitMs / 60_000} minutes`);
      end();
    }, timeLimitMs);
    // A terminal sends Ctrl-C to vitest as well, which then closes in its own way: give it a moment.
    const onInterrupt = () => setTimeout(end, 5000).unref();
    process.on('SIGINT', onInterrupt).on('SIGTERM', end).on('SIGHUP', end);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', onInterrupt).off('SIGTERM', end).off('SIGHUP', end);
      resolve(code ?? 1);
    });
  });
}
