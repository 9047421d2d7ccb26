import { createGatewayClient, type GatewayClient } from '@houmao/sdk';
import { liveGateway, urlOf } from '../../launch/live-gateway.js';
import type { CurrentInstance } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';

/** A client of the gateway of a session. Where a call finds nobody, the next one goes to wherever the gateway serves by then. */
export function lastingClient(paths: SessionPaths, found: Pick<CurrentInstance, 'port'>): GatewayClient {
  const first = urlOf(found);
  let url = first;
  return createGatewayClient({
    baseUrl: first,
    middleware: [
      {
        onRequest: ({ request }) =>
          url === first ? undefined : new Request(request.url.replace(first, url), request),
        onError: async ({ request }) => {
          if (request.signal.aborted) return;
          const instance = await liveGateway(paths);
          if (instance) url = urlOf(instance);
        },
      },
    ],
  });
}
