import type { EventsHandlers } from '../../../generated/gateway/server/events-handlers.js';
import { noSuchEvent } from '../../events/event-feed.js';
import { readEvent } from '../../events/read-event.js';
import type { Gateway } from '../gateway.js';

export const eventHandlers = (gateway: Gateway): EventsHandlers => ({
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
