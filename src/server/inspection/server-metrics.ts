import { ProgramMetrics } from '../../telemetry/program-metrics.js';
import { spokenName } from '../directory/agent-directory.js';
import { type AgentOverview, standings } from './agent-overview.js';
import type { HostOverview } from './host-overview.js';

/** The figures of a server over its agents: those of the overview, which is read once for each scrape. */
export class ServerMetrics extends ProgramMetrics {
  readonly #overview: Pick<HostOverview, 'read'>;
  #reading: Promise<readonly AgentOverview[]> | null = null;

  constructor(overview: Pick<HostOverview, 'read'>) {
    super('houmao-server');
    this.#overview = overview;
    this.gauge('agents', 'Agents of this host, by state.', ['state'], async (set) => {
      const agents = await this.#agents();
      for (const state of standings) set(agents.filter((one) => one.state === state).length, { state });
    });
    this.gauge('agent_queue_length', 'Requests that wait for an agent.', ['agent'], async (set) => {
      for (const agent of await this.#agents())
        if (agent.queue !== null) set(agent.queue.waiting, { agent: labelOf(agent) });
    });
    const isAsked = 'Whether an agent shows a question to a person in its terminal.';
    this.gauge('agent_waiting_for_person', isAsked, ['agent'], async (set) => {
      for (const agent of await this.#agents())
        set(Number(agent.state === 'needs_person'), { agent: labelOf(agent) });
    });
  }

  /** All figures of a scrape are asked for at the same moment, and get the same answer. */
  #agents(): Promise<readonly AgentOverview[]> {
    this.#reading ??= this.#overview
      .read(undefined, 0, new AbortController().signal)
      .then(({ agents }) => agents)
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}

const labelOf = ({ agent_name: agentName, tracked_agent_id: trackedAgentId }: AgentOverview): string =>
  spokenName({ agentName, trackedAgentId });
