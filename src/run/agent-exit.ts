import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** How an agent's process ended. */
export interface AgentExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** What `exitcode` holds. Death by signal N is written as -N (docs/decisions.md#artifacts). */
export function exitLine(end: AgentExit): string {
  const number = end.signal ? -(constants.signals[end.signal] ?? 1) : (end.exitCode ?? 1);
  return `${number}\n`;
}

/** @throws when the file cannot be read, or holds no number. */
export function readExit(path: string): AgentExit {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^-?\d+$/.test(text)) throw new Error(`${path} holds no exit code`);
  const number = Number(text);
  return number >= 0 ? { exitCode: number, signal: null } : { exitCode: null, signal: signalName(-number) };
}

function signalName(number: number): NodeJS.Signals {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return (entry?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}
