import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { linuxProcessStat } from './process-stat.js';

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
