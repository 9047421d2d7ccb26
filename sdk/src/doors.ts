import type { Client } from 'openapi-fetch';
import type { CallInit, Send } from './connection.js';
import type { paths } from './generated/gateway.js';
import { operationIds, type Route, routes } from './operation.js';

/**
 * `GET`, `POST`, `PUT` and `DELETE` of openapi-fetch as they are: they take a path of the contract and answer
 * `{ data, error, response }`. A refusal is in `error`; without an answer they reject with a `GatewayError`. The
 * options also take `timeoutMs`.
 */
export type Doors = Readonly<Pick<Client<paths>, Route['method']>>;

type Limited = CallInit & { signal?: AbortSignal | null; timeoutMs?: number };

export function createDoors(send: Send): Doors {
  const door =
    (method: Route['method']) =>
    (path: string, options: Limited = {}) => {
      const { signal, timeoutMs, ...init } = options;
      return send({
        operationId: operationIdOf(method, path),
        method,
        path,
        init,
        signal: signal ?? undefined,
        timeoutMs,
      });
    };
  const doors = { GET: door('GET'), POST: door('POST'), PUT: door('PUT'), DELETE: door('DELETE') };
  // The same values as openapi-fetch gives, passed on untouched: its types hold.
  return doors as unknown as Doors;
}

function operationIdOf(method: string, path: string) {
  return operationIds.find((id) => routes[id].method === method && routes[id].path === path) ?? null;
}
