import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for sure: its pid alone may be somebody else's by now. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, as the platform says it; only equality means something. */
  startedAt: string;
}

/** The start time of a live process, or null when there is none with that pid. */
export function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return linuxStartTime(pid);
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

function linuxStartTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may hold spaces and parentheses itself; what follows the last one is regular.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' || startTicks === undefined ? null : startTicks;
  } catch {
    return null;
  }
}

/** @returns null when the process is gone already. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = startTimeOf(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether that very process is still alive. */
export const isAlive = (process: ProcessIdentity): boolean => startTimeOf(process.pid) === process.startedAt;
