import { readFileSync } from 'node:fs';
import type { LoadScript } from '../../foundation/cached-script.js';
import { listenTrouble } from '../../foundation/listening.js';
import { type BoundSurface, bindSurface, type HttpSurface } from '../surface.js';
import type { ListenerOptions } from './listener-options.js';

/** The file descriptors that a program needs besides its callers' connections, and the fewest it can work with. */
const reservedDescriptors = 48;
const leastDescriptors = 64;

/** Returns a sentence that says why this process cannot serve with its limit of file descriptors; null when it can. */
export function tooFewDescriptors(noun: string): string | null {
  const limit = openFileLimit();
  return limit === null || limit >= leastDescriptors
    ? null
    : `its ${noun} may have ${limit} file descriptors and needs ${leastDescriptors}; raise the limit (ulimit -n)`;
}

/** Thrown when the program cannot listen; the message is for the operator. */
export class ListenFault extends Error {
  override readonly name = 'ListenFault';
}

/** Binds a surface. @throws {ListenFault} when that fails. */
export async function bindListener(
  surface: HttpSurface,
  listener: ListenerOptions,
  given: { token: string; environment: NodeJS.ProcessEnv; load: LoadScript; report(fault: string): void },
): Promise<BoundSurface> {
  const descriptors = openFileLimit();
  try {
    return await bindSurface(surface, {
      host: listener.host,
      port: listener.port,
      // Callers must not take the last descriptors: the program's own work needs some.
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

/** The exit codes of a program that serves a surface (docs/decisions.md#one-gateway-per-root). */
export const exitCodes = { clean: 0, badRoot: 1, usage: 2, port: 3, rootTaken: 4 } as const;

/** Resolves at the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // SIGHUP comes when the window of the program is closed.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** Returns the number of file descriptors this process may have; null when the system does not report it or has no limit. */
function openFileLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
