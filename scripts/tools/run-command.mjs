import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Debian's packages of the programs that the scripts run. */
const packages = {
  go: 'golang-go',
  java: 'default-jdk-headless',
  javac: 'default-jdk-headless',
  mvn: 'maven',
  python3: 'python3 python3-venv',
  git: 'git',
  tar: 'tar',
};

/**
 * Runs a program to its end.
 * @returns what it wrote to stdout
 * @throws Error with the lines that a person can use, when the program is absent or fails.
 */
export function runCommand(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (error?.code === 'ENOENT') throw new Error(absent(command));
  if (status === 0) return stdout;
  // A failing wrapper prints its own bundled source: keep the lines a human wrote.
  const said = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.trim() && line.length < 300 && !/^\s+at /.test(line));
  throw new Error(`${command} ${args.join(' ')} failed (${status ?? error})\n${said.slice(-20).join('\n')}`);
}

/** @throws Error that names what to install, when one of the programs is absent. */
export function requirePrograms(names) {
  for (const name of names)
    if (spawnSync(name, ['--version'], { stdio: 'ignore' }).error) throw new Error(absent(name));
}

const absent = (command) => {
  const name = packages[command];
  return name === undefined
    ? `${command} was not found`
    : `${command} was not found; install it first (Debian: apt-get install ${name})`;
};

/** A program of the project's own packages. */
export const runBin = (name, ...args) => runCommand(join('node_modules', '.bin', name), args);
