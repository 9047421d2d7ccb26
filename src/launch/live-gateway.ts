import { existsSync, readFileSync } from 'node:fs';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import type { Clock } from '../foundation/clock.js';
import { fileSignature } from '../foundation/folders.js';
import { identify, isAlive, type ProcessIdentity, signalProcess } from '../foundation/processes.js';
import { type CurrentInstance, currentInstanceFile } from '../session/current-instance.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';

/** Returns the address for clients on this machine. */
export const urlOf = (instance: Pick<CurrentInstance, 'port'>): string => `http://127.0.0.1:${instance.port}`;

/** The result of looking for the gateway of a session; `detail` is a sentence. */
export type GatewayProbe =
  /** No gateway has published itself. */
  | { state: 'absent' }
  /** Its `/health` answers. */
  | { state: 'serving'; instance: CurrentInstance }
  /** It serves, but refuses this caller. */
  | { state: 'refusing'; instance: CurrentInstance; detail: string }
  /** It has published itself and gives no usable answer. */
  | { state: 'silent'; instance: CurrentInstance; detail: string };

const healthMilliseconds = 2000;

/**
 * Looks for the gateway of a session: published data counts only if the gateway answers (docs/decisions.md#trust-after-health).
 */
export async function probeGateway(paths: SessionPaths): Promise<GatewayProbe> {
  const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
  if (!instance) return { state: 'absent' };
  // Its port may belong to another gateway by now, which drives another agent.
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

/** Decides whether the gateway is alive but does not answer. */
export const isHanging = (sight: GatewayProbe, paths: SessionPaths): boolean =>
  sight.state === 'silent' && gatewayProcess(sight.instance.pid, paths) !== null;

/** Returns the gateway that serves a session now, even if it refuses this caller; null if there is none. */
export async function liveGateway(paths: SessionPaths): Promise<CurrentInstance | null> {
  const sight = await probeGateway(paths);
  return sight.state === 'serving' || sight.state === 'refusing' ? sight.instance : null;
}

/**
 * The time in which a gateway ends its turn (7 s of signals, 5 s for left-over processes; 15 s on another server) and its answers
 * (3 s).
 */
const stopMilliseconds = { 'its own time': 20_000, short: 8000 } as const;
const pollMilliseconds = 50;

/** Returns the process with that pid, if it is a gateway of this session: the pid may belong to another process by now. */
export function gatewayProcess(pid: number, paths: SessionPaths): ProcessIdentity | null {
  const process = identify(pid);
  return process && isGatewayOf(pid, paths) ? process : null;
}

function isGatewayOf(pid: number, paths: SessionPaths): boolean {
  // Without /proc it cannot be checked.
  if (!existsSync('/proc/self/cmdline')) return true;
  const words = commandLineOf(pid);
  const root = words[words.indexOf('--gateway-root') + 1];
  return root !== undefined && words.includes('--gateway-root') && sessionPaths(root).root === paths.root;
}

/** @returns nothing for a process that has ended meanwhile, or if there is no /proc. */
export function commandLineOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

// The check whether the process of the gateway that published itself exists, made repeatedly:
//
//   absent ──a record appears, of a gateway that lives──▶ present ──the record goes or changes, the process ends──▶ absent
//
// The end of a killed process makes no event, so each check reads the record's signature, and the process where one is known.

/** The gateway of a session, by its record and its process. Whether it serves, only its answer shows. */
export class GatewayPresence {
  readonly #paths: SessionPaths;
  #signature: string | null = null;
  #known: { instance: CurrentInstance; process: ProcessIdentity } | null = null;

  constructor(paths: SessionPaths) {
    this.#paths = paths;
  }

  /** Whether its process exists; it may be about to end. */
  get isPresent(): boolean {
    return this.published() !== null;
  }

  /** Returns its record while its process exists. The record is read, and made a new object, only when it has changed. */
  published(): CurrentInstance | null {
    const signature = fileSignature(this.#paths.currentInstance);
    if (signature !== this.#signature) {
      this.#signature = signature;
      const instance =
        signature === null ? null : currentInstanceFile.readIfUsable(this.#paths.currentInstance);
      const process = instance ? gatewayProcess(instance.pid, this.#paths) : null;
      this.#known = instance && process && { instance, process };
    }
    if (this.#known && !isAlive(this.#known.process)) this.#known = null;
    return this.#known?.instance ?? null;
  }
}

/** How much time a gateway gets to end before it is killed. */
export type GatewayPatience = keyof typeof stopMilliseconds;

/**
 * Ends a gateway by SIGTERM, and by SIGKILL only after its time to stop: SIGKILL would leave a turn running. Resolves when it has
 * ended.
 */
export async function endGatewayProcess(
  process: ProcessIdentity,
  patience: GatewayPatience,
  clock: Clock,
): Promise<void> {
  signalProcess(process.pid, 'SIGTERM');
  // A halted process gets the signal only when it continues.
  signalProcess(process.pid, 'SIGCONT');
  const deadline = clock.monotonic() + stopMilliseconds[patience];
  while (isAlive(process) && clock.monotonic() < deadline) await clock.sleep(pollMilliseconds);
  if (isAlive(process)) signalProcess(process.pid, 'SIGKILL');
  while (isAlive(process)) await clock.sleep(pollMilliseconds);
}
