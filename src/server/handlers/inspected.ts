import type { AgentsHandlers } from '../../../generated/managed-agent/server/agents-handlers.js';
import type { TerminalsHandlers } from '../../../generated/managed-agent/server/terminals-handlers.js';
import type { ManagedAgentServer } from '../server.js';
import { wireDetail } from './agent-detail-wire.js';
import { wireEntry, wireSummary } from './agent-state-wire.js';
import { agentOf } from './refusals.js';
import { terminalIdOf, wireTracked } from './tracked-terminal-wire.js';

type Inspected = Pick<AgentsHandlers, 'getAgentState' | 'getAgentDetail' | 'getAgentHistory'> &
  TerminalsHandlers;

const usualEntries = 100;
const noTerminal = (id: string) => ({ detail: `No terminal \`${id}\` on this server.` });

/** What is told of agents without asking them for anything. */
export const inspectedHandlers = ({ directory, inspection }: ManagedAgentServer): Inspected => ({
  getAgentState: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(directory, path.agent_ref, reply);
    if (refusal) return refusal;
    return reply(200, wireSummary(await inspection.summary(agent)));
  },
  getAgentDetail: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(directory, path.agent_ref, reply);
    if (refusal) return refusal;
    return reply(200, wireDetail(await inspection.detail(agent)));
  },
  getAgentHistory: async ({ path, query }, reply) => {
    const { agent, refusal } = await agentOf(directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const entries = await inspection.history(agent, query.limit ?? usualEntries);
    if (entries === null)
      return reply(503, { detail: 'The turns of the agent cannot be read now; try again.' });
    return reply(200, { tracked_agent_id: agent.trackedAgentId, entries: entries.map(wireEntry) });
  },
  getTerminalState: async ({ path }, reply) => {
    const agent = await directory.findTerminal(path.terminal_id);
    if (!agent) return reply(404, noTerminal(path.terminal_id));
    return reply(200, wireTracked(agent, await inspection.terminal(agent)));
  },
  getTerminalHistory: async ({ path, query }, reply) => {
    const agent = await directory.findTerminal(path.terminal_id);
    if (!agent) return reply(404, noTerminal(path.terminal_id));
    const { tracked_session, recent_transitions } = wireTracked(agent, await inspection.terminal(agent));
    return reply(200, {
      terminal_id: terminalIdOf(agent),
      tracked_session_id: tracked_session.tracked_session_id,
      entries: recent_transitions.slice(-(query.limit ?? usualEntries)),
    });
  },
});
