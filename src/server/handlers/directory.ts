import type { AgentsHandlers } from '../../../generated/managed-agent/server/agents-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { ManagedAgentServer } from '../server.js';
import { toIdentity } from './identity-wire.js';
import { agentOf } from './refusals.js';

type ResolutionStatus = components['schemas']['AgentResolution']['status'];

/** Which agents there are, and who they are. */
export const directoryHandlers = (
  server: ManagedAgentServer,
): Pick<AgentsHandlers, 'listAgents' | 'getAgent' | 'resolveAgent'> => ({
  listAgents: async (_context, reply) => {
    await server.directory.refresh();
    return reply(200, { agents: server.directory.list().map(toIdentity) });
  },
  getAgent: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    return refusal ?? reply(200, toIdentity(agent));
  },
  resolveAgent: async ({ path: { agent_ref } }, reply) => {
    const found = await server.directory.find(agent_ref);
    const agents = found.kind === 'one' ? [found.agent] : found.kind === 'ambiguous' ? found.agents : [];
    const [agent] = agents;
    const one = found.kind === 'one' && agent ? agent : null;
    return reply(200, {
      agent_ref,
      status: one ? await liveness(server, one) : agent ? 'ambiguous' : 'unknown',
      tracked_agent_id: one?.trackedAgentId ?? null,
      candidates: agents.map(({ trackedAgentId }) => trackedAgentId),
    });
  },
});

/** Whether an agent can be prompted, and through what. */
async function liveness(server: ManagedAgentServer, agent: ManagedAgent): Promise<ResolutionStatus> {
  const { availability } = await server.inspection.summary(agent);
  if (availability !== 'available') return 'offline';
  const gateway = agent.sessionRoot && (await server.liveGateways.of(agent.sessionRoot));
  return gateway ? 'live_with_gateway' : 'live_without_gateway';
}
