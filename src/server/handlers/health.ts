import type { HealthHandlers } from '../../../generated/managed-agent/server/health-handlers.js';

/** It waits for nothing. */
export const healthHandlers = (): HealthHandlers => ({
  getHealth: (_context, reply) =>
    reply(200, { status: 'ok', service: 'cli-agent-orchestrator', houmao_service: 'houmao-server' }),
});
