import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process reliably: a pid alone may belong to another process by now. */
export interface ProcessIdentity {
  pid: number;
  /** Its start time in the platform's form; only equality is meaningful. */
  startedAt: string;
}

/** Returns the start time of a live process, or null when there is none with that pid. */
export function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return linuxProcessStat(pid)?.startTicks ?? null;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** @returns null when the process has ended already. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = startTimeOf(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/**
 * Decides whether it is certain that no process has a pid. A system may hide the processes of other users (`hidepid`):
 * they cannot be seen, but exist.
 */
export function isPidUnused(pid: number): boolean {
  if (startTimeOf(pid) !== null) return false;
  // A process that can be seen and has no start time has ended, and only waits until its parent collects it.
  if (existsSync(`/proc/${pid}/stat`)) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Decides whether it is certain that exactly this process has ended: false also where that cannot be known. */
export function hasSurelyEnded({ pid, startedAt }: ProcessIdentity): boolean {
  const now = startTimeOf(pid);
  return now === null ? isPidUnused(pid) : now !== startedAt;
}

/** Decides whether exactly this process is still alive. */
export const isAlive = (process: ProcessIdentity): boolean => startTimeOf(process.pid) === process.startedAt;

/** The facts that Linux gives about a live process. */
export interface ProcessStat {
  /** The pid of its parent process now. */
  parent: number;
  /** The pid of the leader of its process group. */
  group: number;
  /** When it started, in ticks since the machine started. */
  startTicks: string;
}

/**
 * Reads `/proc/<pid>/stat`. Null when no process has that pid, and for a zombie: it has ended, and only
 * waits until its parent collects it.
 */
export function linuxProcessStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in parentheses may contain spaces and parentheses; the fields after the last one are regular.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, startTicks] = [fields[0], fields[1], fields[2], fields[19]];
  if (state === 'Z' || state === 'X' || group === undefined || startTicks === undefined) return null;
  return { parent: Number(parent), group: Number(group), startTicks };
}

/** The folder, the program and the environment with which a process was started. */
interface ProcessSurroundings {
  workingDirectory: string;
  /** The file that it runs, by its path when it started; it may have been removed since. */
  executable: string;
  environment: Readonly<Record<string, string>>;
}

/**
 * Reads the surroundings of a live process of the same user. Linux only; null elsewhere, and where it
 * has ended or is another user's.
 */
export function surroundingsOf(pid: number): ProcessSurroundings | null {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const environment = Object.fromEntries(
      pairs.map((pair) => {
        const end = pair.indexOf('=');
        return end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
      }),
    );
    const executable = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return { workingDirectory: readlinkSync(`/proc/${pid}/cwd`), executable, environment };
  } catch {
    return null;
  }
}

/** Sends a signal to a pid, or to a whole process group; returns false when there is no such process. */
function send(target: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export const signalProcess = (pid: number, signal: NodeJS.Signals): boolean => send(pid, signal);
export const signalGroup = (leaderPid: number, signal: NodeJS.Signals): boolean => send(-leaderPid, signal);
