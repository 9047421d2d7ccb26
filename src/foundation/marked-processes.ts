import { readdirSync, readFileSync } from 'node:fs';

/**
 * The variable that every process of a turn carries in its environment, so that the next start finds it
 * (docs/decisions.md#left-running).
 */
export const turnMark = 'HOUMAO_TURN_ID';

/**
 * Pids of live processes that carry `HOUMAO_TURN_ID=<turnId>`, this one excepted. Linux only; elsewhere it finds none,
 * and pid and start time have to suffice.
 */
export function processesOfTurn(turnId: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && carriesMark(pid, turnId));
}

/** Whether a live process carries `HOUMAO_TURN_ID=<turnId>`. Linux only; elsewhere none does. */
export const carriesMark = (pid: number, turnId: string): boolean => holdsMark(environmentOf(pid), turnId);

/** Whether a live process shows no environment: it has none, or is just becoming another program, as a script does twice. */
export const showsNoEnvironment = (pid: number): boolean => environmentOf(pid) === '';

const holdsMark = (environment: string | null, turnId: string): boolean =>
  environment !== null && `\0${environment}`.includes(`\0${turnMark}=${turnId}\0`);

/** @returns null when it is gone, or somebody else's. */
function environmentOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
}
