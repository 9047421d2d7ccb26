import type { EventsHandlers } from '../../../generated/gateway/server/events-handlers.js';
import type { RequestsHandlers } from '../../../generated/gateway/server/requests-handlers.js';
import type { TurnsHandlers } from '../../../generated/gateway/server/turns-handlers.js';
import { aimedPrompt } from '../../contract/broken-rules.js';
import { howToAsk } from '../../contract/refusals.js';
import { decodeCursor, encodeCursor } from '../../dispatch/queue/request-records.js';
import { noSuchEvent } from '../../events/event-table.js';
import { readEvent } from '../../events/read-event.js';
import type { Gateway } from '../gateway.js';

export const requestHandlers = (
  gateway: Pick<Gateway, 'control' | 'intake' | 'reader'>,
): RequestsHandlers & TurnsHandlers => ({
  submitRequest: async ({ body, headers }, reply) => {
    const ifTurn = headers['X-Houmao-If-Turn'] ?? null;
    if (ifTurn !== null && body.kind !== 'interrupt') return reply(422, aimedPrompt);
    const acceptance = await gateway.intake.accept(body, headers['Idempotency-Key'] ?? null, ifTurn);
    if ('refusal' in acceptance)
      return reply(refusalStatus[acceptance.refusal.code], { detail: acceptance.refusal.detail });
    const { accepted, replayed } = acceptance;
    const location = { Location: `/v1/requests/${accepted.request_id}` };
    return reply(202, accepted, replayed ? { ...location, 'Idempotency-Replayed': 'true' } : location);
  },

  listRequests: ({ query }, reply) => {
    const before = decodeCursor(query.cursor ?? null);
    const page = gateway.reader.list(query, before, query.limit ?? 50);
    return reply(200, { schema_version: 1, requests: page.records, next_cursor: encodeCursor(page.next) });
  },

  getRequest: async ({ path, query, signal }, reply) => {
    const { wait_seconds: seconds = 0, wait_until: until } = query;
    const { reader } = gateway;
    const record = await (until === 'started'
      ? reader.findStarted(path.request_id, seconds, signal)
      : reader.findFinal(path.request_id, seconds, signal));
    return record ? reply(200, record) : reply(404, { detail: unknownRequest(path.request_id) });
  },

  cancelRequest: async ({ path }, reply) => {
    const refusal = await gateway.control.cancel(path.request_id);
    if (refusal !== null) return reply(409, { detail: refusal });
    const record = gateway.reader.find(path.request_id);
    return record ? reply(200, record) : reply(404, { detail: unknownRequest(path.request_id) });
  },

  getTurn: async ({ path, query, signal }, reply) => {
    const turn = await gateway.reader.findEndedTurn(path.turn_id, query.wait_seconds ?? 0, signal);
    return turn
      ? reply(200, turn)
      : reply(404, {
          detail: `No turn \`${path.turn_id.slice(0, 200)}\` on this gateway.${howToAsk(path.turn_id)}`,
        });
  },
});

const refusalStatus = { reconciliation: 409, other_turn: 412, unavailable: 503, invalid: 422 } as const;

const unknownRequest = (requestId: string): string =>
  `No request \`${requestId.slice(0, 200)}\` on this gateway.${howToAsk(requestId)}`;

export const eventHandlers = (gateway: Pick<Gateway, 'events'>): EventsHandlers => ({
  listEvents: async ({ query, signal }, reply) => {
    const after = query.after ?? 0;
    const page = await gateway.events.feed.read(after, query.limit ?? 50, query.wait_seconds ?? 0, signal);
    if ('last' in page) return reply(410, { detail: noSuchEvent(after, page.last) });
    return reply(200, {
      schema_version: 1,
      events: page.events.map(readEvent),
      next_after: page.events.at(-1)?.seq ?? after,
    });
  },
});
