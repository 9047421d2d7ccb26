import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/process-identity.js';
import { signalProcess } from '../foundation/signals.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';

/** A gateway ends its turn (7 s of signals, 5 s for what is left; 15 s on another server) and its answers (3 s) in this time. */
const stopMilliseconds = { 'its own time': 20_000, short: 8000 } as const;
const pollMilliseconds = 50;

/** The process with that pid, if it is a gateway of this session: a pid may be somebody else's by now. */
export function gatewayProcess(pid: number, paths: SessionPaths): ProcessIdentity | null {
  const process = identify(pid);
  return process && isGatewayOf(pid, paths) ? process : null;
}

function isGatewayOf(pid: number, paths: SessionPaths): boolean {
  // Without /proc there is nothing to tell it by.
  if (!existsSync('/proc/self/cmdline')) return true;
  const words = commandLineOf(pid);
  const root = words[words.indexOf('--gateway-root') + 1];
  return root !== undefined && words.includes('--gateway-root') && sessionPaths(root).root === paths.root;
}

/** @returns nothing of a process that has ended meanwhile, or where there is no /proc. */
export function commandLineOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** How long a gateway has to end before it is killed. */
export type GatewayPatience = keyof typeof stopMilliseconds;

/** TERM, and KILL only for one that outlasts its time to stop: it would leave a turn running. Resolves when it is gone. */
export async function endGatewayProcess(
  process: ProcessIdentity,
  patience: GatewayPatience,
  clock: Clock,
): Promise<void> {
  signalProcess(process.pid, 'SIGTERM');
  // One that somebody has halted hears nothing before it goes on.
  signalProcess(process.pid, 'SIGCONT');
  const deadline = clock.monotonic() + stopMilliseconds[patience];
  while (isAlive(process) && clock.monotonic() < deadline) await clock.sleep(pollMilliseconds);
  if (isAlive(process)) signalProcess(process.pid, 'SIGKILL');
  while (isAlive(process)) await clock.sleep(pollMilliseconds);
}
