import type { EventsHandlers } from '../../../generated/gateway/server/events-handlers.js';
import type { Gateway } from '../gateway.js';

export const eventHandlers = (gateway: Gateway): EventsHandlers => ({
  listEvents: async ({ query, signal }, reply) => {
    const after = query.after ?? 0;
    const events = await gateway.feed.read(after, query.limit ?? 50, query.wait_seconds ?? 0, signal);
    return reply(200, {
      schema_version: 1,
      events: events.map(({ data_json, ...event }) => ({
        ...event,
        data: JSON.parse(data_json) as Record<string, unknown>,
      })),
      next_after: events.at(-1)?.seq ?? after,
    });
  },
});
