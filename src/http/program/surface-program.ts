import { readFileSync } from 'node:fs';
import type { LoadScript } from '../../foundation/cached-script.js';
import { listenTrouble } from '../../foundation/listening.js';
import { type BoundSurface, bindSurface } from '../serve-surface.js';
import type { Surface } from '../surface-app.js';
import type { ListenerOptions } from './listener-options.js';

/** What a program needs beside its callers' connections, and the least that it can work with. */
const reservedDescriptors = 48;
const leastDescriptors = 64;

/** Why this process cannot serve with the file descriptors it may have, as a sentence; null when it can. */
export function tooFewDescriptors(noun: string): string | null {
  const limit = openFileLimit();
  return limit === null || limit >= leastDescriptors
    ? null
    : `its ${noun} may have ${limit} file descriptors and needs ${leastDescriptors}; raise the limit (ulimit -n)`;
}

/** It cannot listen; the message is for the operator. */
export class ListenFault extends Error {
  override readonly name = 'ListenFault';
}

/** @throws {ListenFault} */
export async function bindListener(
  surface: Surface,
  listener: ListenerOptions,
  given: { token: string; environment: NodeJS.ProcessEnv; load: LoadScript; report(fault: string): void },
): Promise<BoundSurface> {
  const descriptors = openFileLimit();
  try {
    return await bindSurface(surface, {
      host: listener.host,
      port: listener.port,
      // Callers must not take the last descriptors: the work needs some.
      maxConnections: descriptors === null ? null : descriptors - reservedDescriptors,
      callers: {
        token: given.token,
        users: new Set([process.getuid?.() ?? 0, ...listener.allowedUser]),
      },
      admitted: { hosts: new Set(listener.allowedHost), origins: new Set(listener.allowedOrigin) },
      strictAnswers: given.environment.HOUMAO_STRICT_RESPONSES === '1',
      load: given.load,
      report: (fault) => given.report(fault),
    });
  } catch (error) {
    throw new ListenFault(`cannot listen: ${listenTrouble(error as NodeJS.ErrnoException, listener)}`);
  }
}

/** How a program that serves a surface ends (docs/decisions.md#one-gateway-per-root). */
export const exitCodes = { clean: 0, badRoot: 1, usage: 2, port: 3, rootTaken: 4 } as const;

/** Resolves at the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // SIGHUP: its window was closed.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** How many file descriptors this process may have; null where the system does not say or has no limit. */
function openFileLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
