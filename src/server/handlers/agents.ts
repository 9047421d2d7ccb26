import type { AgentsHandlers } from '../../../generated/managed-agent/server/agents-handlers.js';
import type { TerminalsHandlers } from '../../../generated/managed-agent/server/terminals-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import {
  type LogLines,
  type LogPatience,
  lastLines,
  logStart,
  nextLines,
  placeWords,
  readPlace,
} from '../../session/log-tail.js';
import { sessionPaths } from '../../session/session-paths.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import { listedAgents, needsStanding } from '../inspection/agent-list.js';
import { StopFault, type Stopped } from '../lifecycle/agent-stops.js';
import type { ManagedAgentServer } from '../server.js';
import { terminalIdOf, toIdentity, wireDetail, wireEntry, wireSummary, wireTracked } from './agent-wire.js';
import { fleetAgents, noFleet } from './fleet.js';
import { agentOf, noSuchAgent } from './refusals.js';

type ResolutionStatus = components['schemas']['AgentResolution']['status'];

const standingOfHostOnly = {
  type: 'not_in_fleet',
  loc: ['query', 'with'],
  msg: 'It is not taken with scope=fleet, where `place` says how each agent stands',
  input: 'standing',
};

/** Handles the list of agents and their identities. */
export const directoryHandlers = (
  server: Pick<
    ManagedAgentServer,
    'directory' | 'inspection' | 'lifecycle' | 'liveGateways' | 'overview' | 'parts'
  >,
): Pick<AgentsHandlers, 'listAgents' | 'getAgent' | 'resolveAgent'> => ({
  listAgents: async ({ query, signal }, reply) => {
    await server.directory.refresh();
    if (query.scope === 'fleet') {
      const { fleet } = server.parts;
      if (fleet === null) return reply(404, { detail: noFleet });
      if (query.with !== undefined) return reply(422, { detail: [standingOfHostOnly] });
      const { agents } = await server.overview.read(undefined, 0, signal);
      return reply(200, fleetAgents(fleet, server.directory.list().map(toIdentity), agents, query));
    }
    const seen = needsStanding(query) ? (await server.overview.read(undefined, 0, signal)).agents : null;
    const { agents, next } = listedAgents(server.directory.list(), seen, query);
    const entries = agents.map(({ agent, standing }) => ({
      ...toIdentity(agent),
      ...(query.with === 'standing' && standing && { standing }),
    }));
    return reply(200, { agents: entries, ...(next !== undefined && { next_cursor: next }) });
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

/** Returns whether an agent can be prompted, and whether it has a gateway. */
async function liveness(
  server: Pick<ManagedAgentServer, 'inspection' | 'liveGateways'>,
  agent: ManagedAgent,
): Promise<ResolutionStatus> {
  const { availability } = await server.inspection.summary(agent);
  if (availability !== 'available') return 'offline';
  const gateway = agent.sessionRoot && (await server.liveGateways.of(agent.sessionRoot));
  return gateway ? 'live_with_gateway' : 'live_without_gateway';
}

export const stopHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'lifecycle'>,
): Pick<AgentsHandlers, 'stopAgent'> => ({
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

type Inspected = Pick<
  AgentsHandlers,
  | 'getHostOverview'
  | 'getAgentOverview'
  | 'getAgentState'
  | 'getAgentDetail'
  | 'getAgentHistory'
  | 'getAgentLog'
> &
  TerminalsHandlers;

const usualEntries = 100;
const noTerminal = (id: string) => ({ detail: `No terminal \`${id}\` on this server.` });

const usualLines = 200;

/** Reads the log of an agent's gateway; waits for its next line where that is asked for. */
async function wireLog(
  sessionRoot: string | null,
  { lines = usualLines, after, wait_seconds = 0 }: { lines?: number; after?: string; wait_seconds?: number },
  { clock, signal }: Pick<LogPatience, 'clock' | 'signal'>,
): Promise<components['schemas']['AgentLog']> {
  const path = sessionRoot === null ? null : sessionPaths(sessionRoot).log;
  const read = async (): Promise<LogLines> => {
    if (after !== undefined)
      return nextLines(path, readPlace(after), { clock, signal, milliseconds: wait_seconds * 1000 });
    return path === null ? { lines: [], place: logStart } : lastLines(path, lines);
  };
  const { lines: found, place } = await read();
  return { schema_version: 1, path, lines: [...found], next_after: placeWords(place) };
}

/** Handles reads of the state of agents, which request nothing of the agents. */
export const inspectedHandlers = ({
  directory,
  inspection,
  overview,
  parts,
}: Pick<ManagedAgentServer, 'directory' | 'inspection' | 'overview' | 'parts'>): Inspected => ({
  getHostOverview: async ({ query: { after, wait_seconds = 0 }, signal }, reply) =>
    reply(200, await overview.read(after, wait_seconds, signal)),
  getAgentOverview: async ({ path, query: { after, wait_seconds = 0 }, signal }, reply) => {
    const { agent, refusal } = await agentOf(directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const seen = await overview.readAgent(agent.trackedAgentId, after, wait_seconds, signal);
    return seen ? reply(200, seen) : reply(404, { detail: noSuchAgent(path.agent_ref, directory) });
  },
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
  getAgentLog: async ({ path, query, signal }, reply) => {
    const { agent, refusal } = await agentOf(directory, path.agent_ref, reply);
    if (refusal) return refusal;
    return reply(200, await wireLog(agent.sessionRoot, query, { clock: parts.host.clock, signal }));
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
