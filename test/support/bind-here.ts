import { createRequire } from 'node:module';
import { type BoundSurface, bindSurface, type HttpSurface } from '../../src/http/surface.js';

/** Binds a surface of this very process to a free port of 127.0.0.1, for this user alone. An answer that breaks the contract throws. */
export const bindHere = (
  surface: HttpSurface,
  token: string,
  report: (fault: string) => void,
): Promise<BoundSurface> =>
  bindSurface(surface, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: null,
    strictAnswers: true,
    callers: { token, users: new Set([process.getuid?.() ?? 0]) },
    admitted: { hosts: new Set(), origins: new Set() },
    load: createRequire(import.meta.url),
    report,
  });
