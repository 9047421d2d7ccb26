// Every agent of the chosen hosts, one line each.
import type { ComponentChildren } from 'preact';
import { isAway, knownAge } from './hosts.js';
import { ageOf, type ListedAgent, latestOf, nameOf, refOf, sinceOf, stateWord, usageOf } from './words.js';

/** How an agent stands; of one whose host is away, how it stood. */
export function StateMark({ agent }: { agent: Pick<ListedAgent, 'state' | 'elsewhere'> }) {
  const { state } = agent;
  return isAway(agent) ? (
    <span class="state unknown">was {stateWord(state)}</span>
  ) : (
    <span class={`state ${state}`}>{stateWord(state)}</span>
  );
}

export interface AgentListProps {
  readonly agents: readonly ListedAgent[];
  /** The reference of the agent that is opened. */
  readonly opened: string | null;
  readonly hrefOf: (reference: string) => string;
  readonly now: number;
  /** The number of agents without a filter; null while that is not known. */
  readonly all: number | null;
  /** The sentence for no agents at all. */
  readonly none: ComponentChildren;
}

export function AgentList({ agents, opened, hrefOf, now, all, none }: AgentListProps) {
  if (all === 0) return <p class="empty">{none}</p>;
  if (all !== null && agents.length === 0) return <p class="empty">No agent has all these words.</p>;
  return (
    <ul>
      {agents.map((agent) => (
        <li key={`${agent.elsewhere?.host} ${agent.tracked_agent_id}`}>
          <a href={hrefOf(refOf(agent))} aria-current={refOf(agent) === opened ? 'true' : undefined}>
            <span class="line">
              <StateMark agent={agent} />
              <strong>{nameOf(agent)}</strong>
              <span class="tool">
                {agent.tool}
                {agent.transport === 'tui' ? ', terminal' : ''}
              </span>
              <span class="age">{knownAge(agent, now) ?? ageOf(sinceOf(agent), now)}</span>
            </span>
            <span class="latest">{latestOf(agent)}</span>
            <span class="facts">
              {queueWords(agent)}
              <span class="usage">{usageOf(agent.last_turn?.usage ?? null)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function queueWords({ queue }: ListedAgent) {
  if (queue === null || (queue.waiting === 0 && !queue.paused)) return null;
  const words = [
    ...(queue.waiting > 0 ? [`${queue.waiting} waiting`] : []),
    ...(queue.paused ? ['paused'] : []),
  ];
  return <span class="queue">{words.join(', ')}</span>;
}
