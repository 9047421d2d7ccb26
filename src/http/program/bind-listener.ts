import type { LoadScript } from '../../foundation/cached-script.js';
import { listenTrouble } from '../../foundation/listening.js';
import { openFileLimit } from '../../foundation/open-file-limit.js';
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
