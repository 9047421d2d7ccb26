import { readdirSync, readFileSync } from 'node:fs';

/** Pids of all processes that were started with this variable, found without the gateway's own bookkeeping. */
export function processesWith(name: string, value: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => environmentOf(entry).includes(`${name}=${value}`))
    .map(Number);
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
