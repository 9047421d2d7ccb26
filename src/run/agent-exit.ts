import { readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';

/** The end of an agent's process. */
export interface AgentExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** Returns the content of `exitcode`. Death by signal N is written as -N (docs/decisions.md#artifacts). */
export const exitLine = ({ exitCode, signal }: AgentExit): string =>
  `${returncodeOf(exitCode, signal) ?? 1}\n`;

/** Returns an end as one number, negative for the signal that caused it; null if it is unknown. */
export function returncodeOf(exitCode: number | null, signal: string | null): number | null {
  if (signal === null) return exitCode;
  return -(constants.signals[signal as NodeJS.Signals] ?? 1);
}

/** Reads `exitcode`, with the time at which it was written. @throws if the file cannot be read, or contains no number. */
export function readExit(path: string): AgentExit & { endedAt: Date } {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^-?\d+$/.test(text)) throw new Error(`${path} holds no exit code`);
  const number = Number(text);
  const exit =
    number >= 0 ? { exitCode: number, signal: null } : { exitCode: null, signal: signalName(-number) };
  return { ...exit, endedAt: statSync(path).mtime };
}

function signalName(number: number): NodeJS.Signals {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return (entry?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}
