import type { AgentsHandlers } from '../../../generated/managed-agent/server/agents-handlers.js';
import { spokenName } from '../directory/spoken-name.js';
import { StopFault, type Stopped } from '../lifecycle/agent-stops.js';
import type { ManagedAgentServer } from '../server.js';
import { agentOf, noSuchAgent } from './refusals.js';

export const stopHandlers = (server: ManagedAgentServer): Pick<AgentsHandlers, 'stopAgent'> => ({
  stopAgent: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    try {
      const stopped = await server.lifecycle.stops.stop(agent);
      if (stopped === null) return reply(404, { detail: noSuchAgent(path.agent_ref, server.directory) });
      return reply(200, {
        success: true,
        tracked_agent_id: agent.trackedAgentId,
        detail: sentenceOf(spokenName(agent), stopped),
        turn_id: stopped.turnId,
      });
    } catch (error) {
      if (!(error instanceof StopFault)) throw error;
      return reply(agent.transport === 'tui' ? 503 : 502, { detail: error.message });
    }
  },
});

function sentenceOf(name: string, { gatewayStopped, turnId, tmuxStays, leftUndone }: Stopped): string {
  const turn = turnId === null ? '' : ` Its turn ${turnId} was interrupted.`;
  const gateway = gatewayStopped ? ' Its gateway was stopped.' : '';
  const stays = tmuxStays === null ? '' : ` ${tmuxStays}.`;
  return [`Stopped ${name}.`, turn, gateway, stays, ...leftUndone.map((left) => ` ${left}`)].join('');
}
