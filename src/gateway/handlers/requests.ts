import type { EventsHandlers } from '../../../generated/gateway/server/events-handlers.js';
import type { RequestsHandlers } from '../../../generated/gateway/server/requests-handlers.js';
import type { TurnsHandlers } from '../../../generated/gateway/server/turns-handlers.js';
import { aimedPrompt } from '../../contract/broken-rules.js';
import { EventStream, quietSeconds } from '../../contract/event-stream.js';
import { labelledInterrupt, metadataOf } from '../../contract/prompt-metadata.js';
import { howToAsk } from '../../contract/refusals.js';
import { decodeCursor, encodeCursor } from '../../dispatch/queue/request-records.js';
import { noSuchEvent, type StoredEvent } from '../../events/event-table.js';
import { readEvent, streamedEvents } from '../../events/read-event.js';
import type { Gateway } from '../gateway.js';

export const requestHandlers = (
  gateway: Pick<Gateway, 'control' | 'intake' | 'reader' | 'streams'>,
): RequestsHandlers & TurnsHandlers => ({
  submitRequest: async ({ body, headers }, reply) => {
    const key = headers['Idempotency-Key'] ?? null;
    const ifTurn = headers['X-Houmao-If-Turn'] ?? null;
    if (ifTurn !== null && body.kind !== 'interrupt') return reply(422, aimedPrompt);
    const metadata = metadataOf(headers);
    if (metadata !== null && body.kind === 'interrupt') return reply(422, labelledInterrupt);
    const acceptance = await gateway.intake.accept(body, { key, ifTurn, metadata });
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

  streamTurn: async ({ path, query, headers, streams, signal }, reply) => {
    const { turn_id } = path;
    const source = { key: turn_id, find: () => gateway.reader.findStreamed(turn_id) };
    const after = headers['Last-Event-ID'] ?? query.after;
    const wanted = { after, waitSeconds: query.wait_seconds ?? 0, streams, signal };
    const parts = await gateway.streams.answer(source, wanted);
    if (parts === null) return reply(404, { detail: unknownTurn(turn_id) });
    return parts === 'read' ? reply(204) : reply(200, parts);
  },

  getTurn: async ({ path, query, signal }, reply) => {
    const turn = await gateway.reader.findEndedTurn(path.turn_id, query.wait_seconds ?? 0, signal);
    return turn ? reply(200, turn) : reply(404, { detail: unknownTurn(path.turn_id) });
  },
});

const unknownTurn = (turnId: string): string =>
  `No turn \`${turnId.slice(0, 200)}\` on this gateway.${howToAsk(turnId)}`;

const refusalStatus = { reconciliation: 409, other_turn: 412, unavailable: 503, invalid: 422 } as const;

const unknownRequest = (requestId: string): string =>
  `No request \`${requestId.slice(0, 200)}\` on this gateway.${howToAsk(requestId)}`;

export const eventHandlers = (gateway: Pick<Gateway, 'events'>): EventsHandlers => ({
  listEvents: async ({ query, headers, streams, signal }, reply) => {
    const { feed } = gateway.events;
    const after = Number(headers['Last-Event-ID'] ?? query.after ?? 0);
    const limit = query.limit ?? 50;
    const page = await feed.read(after, limit, streams ? 0 : (query.wait_seconds ?? 0), signal);
    if ('last' in page) return reply(410, { detail: noSuchEvent(after, page.last) });
    const first = toEventPage(page.events, after);
    if (!streams) return reply(200, first);
    const next = async ({ next_after }: typeof first): Promise<typeof first | null> => {
      const more = feed.closed ? null : await feed.read(next_after, limit, quietSeconds, signal);
      // Where the log of events was started again, a caller that connects again gets the 410.
      return more === null || 'last' in more ? null : toEventPage(more.events, next_after);
    };
    return reply(200, EventStream.of(first, { next, eventsOf: streamedEvents, signal }));
  },
});

const toEventPage = (events: readonly StoredEvent[], after: number) => ({
  schema_version: 1 as const,
  events: events.map(readEvent),
  next_after: events.at(-1)?.seq ?? after,
});
