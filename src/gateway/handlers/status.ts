import type { HealthHandlers } from '../../../generated/gateway/server/health-handlers.js';
import type { StatusHandlers } from '../../../generated/gateway/server/status-handlers.js';
import type { Gateway } from '../gateway.js';

export const statusHandlers = (gateway: Gateway): HealthHandlers & StatusHandlers => ({
  getHealth: (_context, reply) => reply(200, { protocol_version: 'v1', status: 'ok' }),
  getStatus: async (_context, reply) => reply(200, await gateway.board.currentStatus()),
});
