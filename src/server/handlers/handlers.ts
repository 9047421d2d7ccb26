import type { EventsHandlers } from '../../../generated/managed-agent/server/events-handlers.js';
import type { HealthHandlers } from '../../../generated/managed-agent/server/health-handlers.js';
import type { Handlers } from '../../../generated/managed-agent/server/index.js';
import type { ServerHandlers } from '../../../generated/managed-agent/server/server-handlers.js';
import { version } from '../../foundation/version.js';
import { toInstanceRecord } from '../directory/server-instance.js';
import type { ManagedAgentServer } from '../server.js';
import { directoryHandlers, inspectedHandlers, stopHandlers } from './agents.js';
import { fleetHandlers, membershipOf } from './fleet.js';
import { forwardedHandlers } from './forwarded.js';
import { gatewayHandlers } from './gateway.js';
import { internalHandlers } from './internal.js';
import { launchHandlers } from './launches.js';
import { mailHandlers } from './mail.js';
import { metricsHandlers } from './metrics.js';
import { deliveryHandlers, notificationHandlers } from './notifications.js';
import { turnArtifactHandlers, turnHandlers } from './turns.js';

/** Every operation of the contract; one that is missing does not compile. */
export const serverHandlers = (server: ManagedAgentServer): Handlers => ({
  ...healthHandlers(server),
  ...inspectedHandlers(server),
  ...processHandlers(server),
  ...directoryHandlers(server),
  ...launchHandlers(server),
  ...stopHandlers(server),
  ...hostEventHandlers(server),
  ...fleetHandlers(server),
  ...metricsHandlers(server),
  ...notificationHandlers(server),
  ...deliveryHandlers(server),
  ...turnHandlers(server),
  ...turnArtifactHandlers(server),
  ...internalHandlers(server),
  ...gatewayHandlers(server),
  ...forwardedHandlers(server),
  ...mailHandlers(server),
});

/** Handles the health check, which waits for nothing. */
const healthHandlers = ({ parts: { fleet } }: Pick<ManagedAgentServer, 'parts'>): HealthHandlers => ({
  getHealth: (_context, reply) =>
    reply(200, {
      status: 'ok',
      service: 'cli-agent-orchestrator',
      houmao_service: 'houmao-server',
      ...(fleet && { fleet: membershipOf(fleet) }),
    }),
});

const hostEventHandlers = ({ hostEvents }: Pick<ManagedAgentServer, 'hostEvents'>): EventsHandlers => ({
  listHostEvents: async ({ query, headers, streams, signal }, reply) => {
    const after = headers['Last-Event-ID'] ?? query.after;
    const { limit = 50, wait_seconds: waitSeconds = 0 } = query;
    return reply(200, await hostEvents.answer({ after, limit, waitSeconds, streams, signal }));
  },
});

const processHandlers = ({ parts }: Pick<ManagedAgentServer, 'parts'>): ServerHandlers => ({
  getCurrentInstance: (_context, reply) => reply(200, toInstanceRecord(parts.paths, parts.instance)),
  getServerAbout: (_context, reply) => reply(200, { version }),
  shutdownServer: (_context, reply) => {
    // A stopping server still sends the answers under way, including this one.
    parts.stop();
    return reply(200, { success: true });
  },
});
