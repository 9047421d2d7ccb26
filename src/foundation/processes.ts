import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process for sure: a pid alone may belong to another process by now. */
export interface ProcessIdentity {
  pid: number;
  /** Its start time in the platform's form; only equality is meaningful. */
  startedAt: string;
}

/** The start time of a live process, or null when there is none with that pid. */
export function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return linuxProcessStat(pid)?.startTicks ?? null;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** @returns null when the process is gone already. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = startTimeOf(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/**
 * Whether surely nobody runs under a pid. A system may hide the processes of other users (`hidepid`): those are not seen, and
 * are there all the same.
 */
export function isNobodys(pid: number): boolean {
  if (startTimeOf(pid) !== null) return false;
  // What can be seen and has no start time has ended and only waits to be buried.
  if (existsSync(`/proc/${pid}/stat`)) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Whether exactly this process has surely ended: false also where that cannot be known. */
export function hasSurelyEnded({ pid, startedAt }: ProcessIdentity): boolean {
  const now = startTimeOf(pid);
  return now === null ? isNobodys(pid) : now !== startedAt;
}

/** Whether exactly this process is still alive. */
export const isAlive = (process: ProcessIdentity): boolean => startTimeOf(process.pid) === process.startedAt;

/** What Linux says about a process that is alive. */
export interface ProcessStat {
  /** The pid of the process that it is a child of now. */
  parent: number;
  /** The pid of the leader of its process group. */
  group: number;
  /** When it started, in ticks since the machine did. */
  startTicks: string;
}

/** Reads `/proc/<pid>/stat`. Null when nobody has that pid, and for a zombie: it has ended and only waits to be buried. */
export function linuxProcessStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in parentheses may hold spaces and parentheses itself; what follows the last one is regular.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, startTicks] = [fields[0], fields[1], fields[2], fields[19]];
  if (state === 'Z' || state === 'X' || group === undefined || startTicks === undefined) return null;
  return { parent: Number(parent), group: Number(group), startTicks };
}

/** Where and with what a process was started. */
interface ProcessSurroundings {
  workingDirectory: string;
  /** The file that it runs, as it was when it started: it may have been removed since. */
  executable: string;
  environment: Readonly<Record<string, string>>;
}

/** Of a live process of the same user. Linux only; elsewhere, and where it is gone or somebody else's, null. */
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

/** Sends a signal to a pid, or to a whole process group; false when there is no such process. */
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
