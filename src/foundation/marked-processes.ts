import { readdirSync, readFileSync } from 'node:fs';

/** The variable every process of a turn carries in its environment (decision 47). */
export const turnMark = 'HOUMAO_TURN_ID';

/**
 * Pids of live processes that carry `HOUMAO_TURN_ID=<turnId>`, this one excepted.
 * Linux only; elsewhere it finds none, and pid and start time must do.
 */
export function processesOfTurn(turnId: string): number[] {
  if (process.platform !== 'linux') return [];
  const wanted = `\0${turnMark}=${turnId}\0`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && `\0${environmentOf(pid)}`.includes(wanted));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
