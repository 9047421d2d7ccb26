import { readFileSync } from 'node:fs';

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
