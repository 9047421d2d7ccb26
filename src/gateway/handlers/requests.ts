import type { RequestsHandlers } from '../../../generated/gateway/server/requests-handlers.js';
import type { TurnsHandlers } from '../../../generated/gateway/server/turns-handlers.js';
import type { Gateway } from '../gateway.js';
import { notImplementedText } from '../not-implemented.js';
import { decodeCursor, encodeCursor } from '../requests/cursor.js';

export const requestHandlers = (gateway: Gateway): RequestsHandlers & TurnsHandlers => ({
  submitRequest: async ({ body, headers }, reply) => {
    if (gateway.kind === 'local_terminal' || gateway.kind === 'unsupported')
      return reply(501, { detail: notImplementedText('submitRequest') });
    const acceptance = await gateway.requests.accept(body, headers['Idempotency-Key'] ?? null);
    if ('refusal' in acceptance)
      return reply(acceptance.refusal.status, { detail: acceptance.refusal.detail });
    const { accepted, replayed } = acceptance;
    const location = { Location: `/v1/requests/${accepted.request_id}` };
    return reply(202, accepted, replayed ? { ...location, 'Idempotency-Replayed': 'true' } : location);
  },

  listRequests: ({ query }, reply) => {
    const before = decodeCursor(query.cursor ?? null);
    if (before === null) {
      const input = query.cursor ?? null;
      return reply(422, {
        detail: [
          {
            type: 'value_error',
            loc: ['query', 'cursor'],
            msg: 'Value error, must be the next_cursor of an earlier page',
            input,
            ctx: { error: {} },
          },
        ],
      });
    }
    const page = gateway.requests.list(query.state ?? null, before, query.limit ?? 50);
    return reply(200, { schema_version: 1, requests: page.records, next_cursor: encodeCursor(page.next) });
  },

  getRequest: async ({ path, query, signal }, reply) => {
    const record = await gateway.requests.findFinal(path.request_id, query.wait_seconds ?? 0, signal);
    return record ? reply(200, record) : reply(404, { detail: unknownRequest(path.request_id) });
  },

  cancelRequest: async ({ path }, reply) => {
    const cancelled = await gateway.requests.cancel(path.request_id);
    if (cancelled === null) return reply(404, { detail: unknownRequest(path.request_id) });
    return 'refusal' in cancelled ? reply(409, { detail: cancelled.refusal }) : reply(200, cancelled);
  },

  getTurn: async ({ path, query, signal }, reply) => {
    const turn = await gateway.requests.findEndedTurn(path.turn_id, query.wait_seconds ?? 0, signal);
    return turn
      ? reply(200, turn)
      : reply(404, { detail: `No turn \`${path.turn_id.slice(0, 200)}\` on this gateway.` });
  },
});

const unknownRequest = (requestId: string): string =>
  `No request \`${requestId.slice(0, 200)}\` on this gateway.`;
