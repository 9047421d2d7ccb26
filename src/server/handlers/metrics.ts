import type { MetricsHandlers } from '../../../generated/managed-agent/server/metrics-handlers.js';
import { type DayRange, type UsageDay, usagePeriod } from '../../turn/usage-days.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ManagedAgentServer } from '../server.js';
import { RecordsUnreadable } from '../sessions/session-records.js';

export const metricsHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'metrics' | 'parts' | 'sessions'>,
): MetricsHandlers => ({
  getMetrics: async (_context, reply) => reply(200, await server.metrics.text()),
  getHostUsage: async ({ query }, reply) => {
    const period = usagePeriod(query, server.parts.host.clock.now());
    if ('detail' in period) return reply(422, period);
    await server.directory.refresh();
    const agents = server.directory.list().map((agent) => {
      const { trackedAgentId, agentName, tool } = agent;
      const used = usedBy(server, agent, period);
      return { tracked_agent_id: trackedAgentId, agent_name: agentName, tool, ...used };
    });
    return reply(200, { schema_version: 1, ...period, agents });
  },
});

/** Reads the records of an agent, whichever program writes them. */
function usedBy(
  { sessions }: Pick<ManagedAgentServer, 'sessions'>,
  agent: ManagedAgent,
  period: DayRange,
): { days: UsageDay[] | null; detail: string | null } {
  try {
    const days = sessions.of(agent)?.read((records) => records.usage(period), []) ?? [];
    return { days, detail: null };
  } catch (error) {
    if (!(error instanceof RecordsUnreadable)) throw error;
    return { days: null, detail: error.message };
  }
}
