import { readdirSync, readFileSync } from 'node:fs';
import { signalGroup } from '../foundation/signals.js';

/**
 * Signals a process group. @returns whether anybody alive is in it: a zombie that nobody has buried yet takes signals
 * too, and in a container without a real init it does so for ever.
 */
export function signalLivingGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  if (!signalGroup(leaderPid, signal)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(name, leaderPid));
}

function isLivingMember(pid: string, leaderPid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // What follows the command name in parentheses: state, parent, process group.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leaderPid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
