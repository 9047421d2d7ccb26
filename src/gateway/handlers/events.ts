import type { EventsHandlers } from '../../../generated/gateway/server/events-handlers.js';
import type { Gateway } from '../gateway.js';

/** Faults name files and have stacks, for `gateway.log`; callers only learn that there was one (decision 43). */
const dataOf = (kind: string, json: string): Record<string, unknown> =>
  kind === 'fault' ? { detail: 'The gateway met a fault; gateway.log has it.' } : JSON.parse(json);

export const eventHandlers = (gateway: Gateway): EventsHandlers => ({
  listEvents: async ({ query, signal }, reply) => {
    const after = query.after ?? 0;
    const events = await gateway.feed.read(after, query.limit ?? 50, query.wait_seconds ?? 0, signal);
    return reply(200, {
      schema_version: 1,
      events: events.map(({ data_json, ...event }) => ({ ...event, data: dataOf(event.kind, data_json) })),
      next_after: events.at(-1)?.seq ?? after,
    });
  },
});
