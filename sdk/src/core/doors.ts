import type { Client } from 'openapi-fetch';
import type { CallInit, Send } from './connection.js';
import type { Route } from './operation.js';
import type { AnySurface } from './surface.js';

/**
 * The methods `GET`, `POST`, `PUT` and `DELETE` of openapi-fetch: they take a path of the contract and resolve to `{ data,
 * error, response }`. A refusal is in `error`; without an answer they reject with the same error class as the methods. The
 * options also take `timeoutMs` and `maxRetries`.
 */
export type AnyDoors<Paths extends object> = Readonly<Pick<Client<Paths>, Route['method']>>;

type Limited = CallInit & { signal?: AbortSignal | null; timeoutMs?: number; maxRetries?: number };
type AnyDoor = (path: string, options?: Limited) => Promise<unknown>;

export function createDoors({ routes }: AnySurface, send: Send): Record<Route['method'], AnyDoor> {
  const operationIdOf = (method: string, path: string) =>
    Object.keys(routes).find((id) => routes[id]?.method === method && routes[id].path === path) ?? null;
  const door =
    (method: Route['method']): AnyDoor =>
    (path, options = {}) => {
      const { signal, timeoutMs, maxRetries, ...init } = options;
      return send({
        operationId: operationIdOf(method, path),
        method,
        path,
        init,
        signal: signal ?? undefined,
        timeoutMs,
        maxRetries,
        makesKey: false,
      });
    };
  return { GET: door('GET'), POST: door('POST'), PUT: door('PUT'), DELETE: door('DELETE') };
}
