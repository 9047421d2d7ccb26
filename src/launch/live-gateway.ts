import { existsSync, readFileSync } from 'node:fs';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import type { Clock } from '../foundation/clock.js';
import { identify, isAlive, type ProcessIdentity, signalProcess } from '../foundation/processes.js';
import { type CurrentInstance, currentInstanceFile } from '../session/current-instance.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';

/** The address one can connect to. */
export const urlOf = (instance: Pick<CurrentInstance, 'port'>): string => `http://127.0.0.1:${instance.port}`;

/** What a look for the gateway of a session has shown; `detail` is a sentence. */
export type GatewaySight =
  /** None has published itself. */
  | { state: 'absent' }
  /** Its `/health` answers. */
  | { state: 'serving'; instance: CurrentInstance }
  /** It serves, but not this caller. */
  | { state: 'refusing'; instance: CurrentInstance; detail: string }
  /** It has published itself and gives no usable answer. */
  | { state: 'silent'; instance: CurrentInstance; detail: string };

const healthMilliseconds = 2000;

/** Looks for the gateway of a session: what is published counts only with an answer (docs/decisions.md#trust-after-health). */
export async function seeGateway(paths: SessionPaths): Promise<GatewaySight> {
  const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
  if (!instance) return { state: 'absent' };
  // Its port may be another gateway's by now, and that one drives another agent.
  const itself = (): boolean => gatewayProcess(instance.pid, paths) !== null;
  try {
    await createGatewayClient({
      baseUrl: urlOf(instance),
      timeoutMs: healthMilliseconds,
      maxRetries: 0,
    }).getHealth();
    if (itself()) return { state: 'serving', instance };
    return { state: 'silent', instance, detail: `Another program answers at port ${instance.port}.` };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { status, detail } = error;
    const refused = (status === 401 || status === 403) && itself();
    return { state: refused ? 'refusing' : 'silent', instance, detail };
  }
}

/** Whether a gateway lives that gives no answer. */
export const hangs = (sight: GatewaySight, paths: SessionPaths): boolean =>
  sight.state === 'silent' && gatewayProcess(sight.instance.pid, paths) !== null;

/** The gateway that serves a session now, if only others than this caller; null where none does. */
export async function liveGateway(paths: SessionPaths): Promise<CurrentInstance | null> {
  const sight = await seeGateway(paths);
  return sight.state === 'serving' || sight.state === 'refusing' ? sight.instance : null;
}

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
