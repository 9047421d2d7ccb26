import { execFileSync } from 'node:child_process';
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

/** Whether exactly this process is still alive. */
export const isAlive = (process: ProcessIdentity): boolean => startTimeOf(process.pid) === process.startedAt;
