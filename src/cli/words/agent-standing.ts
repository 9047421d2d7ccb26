import type { Schemas as GatewaySchemas } from '@houmao/sdk';
import { type AgentStanding, type StandingFacts, standingOf } from '../../contract/agent-standing.js';

/** The states of a listed agent, each in a word for people. */
const states = [
  'ready',
  'working',
  'busy',
  /** The agent waits for a person to answer the question on its screen. */
  'needs you',
  /** The tool does not run in its terminal any more. */
  'tool ended',
  'unreachable',
  'replaced',
  'fault',
  'no gateway',
  'no answer',
  'refuses you',
  'session gone',
  'unknown',
] as const;

/** The states as `--state` takes them: `needs-you` for `needs you`. */
export const stateChoices: readonly string[] = states.map((state) => state.replace(' ', '-'));

/** The filters of a list of agents. */
export interface AgentFilters {
  /** Only agents in one of these states, of those that `--state` takes. */
  state?: string[];
  /** Only agents of this tool. */
  tool?: string;
}

export const isFiltered = ({ state, tool }: AgentFilters): boolean =>
  state !== undefined || tool !== undefined;
export const noneLikeThat = 'No agent is like that. Without --state and --tool all are listed.';

/** Decides whether a state is among those that were chosen of {@link stateChoices}; none chosen lets every state pass. */
export const isChosenState = (state: Standing['state'], chosen: readonly string[] | undefined): boolean =>
  chosen?.includes(state.replace(' ', '-')) ?? true;

/** The state of a listed agent, in a word, and its waiting requests. */
export interface Standing {
  readonly state: (typeof states)[number];
  /** The number of requests that wait or run; null when no gateway reports it. */
  readonly queueDepth: number | null;
  /**
   * The number of requests that wait. A running prompt counts among the requests of a headless agent, but no longer among those
   * of an agent in a terminal that has taken it.
   */
  readonly queueWaiting: number | null;
  readonly queuePaused: boolean | null;
}

/** Returns a state without a queue, when no gateway reports one. */
export const only = (state: Standing['state']): Standing => ({
  state,
  queueDepth: null,
  queueWaiting: null,
  queuePaused: null,
});

/**
 * Returns the state that the answers of the agent's gateway show.
 * @param queue null when the gateway does not know that call
 * @param running the number of running requests; null when it cannot be read
 * @param terminal null for an agent without one
 */
export const standingByGateway = (
  status: GatewaySchemas['GatewayStatus'],
  queue: GatewaySchemas['QueueState'] | null,
  running: number | null,
  terminal: GatewaySchemas['TerminalState'] | null,
): Standing => ({
  state: standingWord(
    standingOf({
      queueFault: queue?.fault != null,
      replaced: status.request_admission === 'blocked_reconciliation',
      reachable: status.managed_agent_connectivity === 'connected',
      screen: terminal,
      running: status.active_execution === 'running',
      readiness: readinessOf[status.terminal_surface_eligibility] ?? 'unknown',
    }),
  ),
  queueDepth: status.queue_depth,
  // The two numbers come from parallel calls, not from one transaction.
  queueWaiting: running === null ? null : Math.max(0, status.queue_depth - running),
  queuePaused: queue?.paused ?? null,
});

const readinessOf: Readonly<Record<string, StandingFacts['readiness']>> = {
  ready: 'ready',
  not_ready: 'busy',
};

/** The words for people, where they are not those of the contract. */
const words: Partial<Readonly<Record<AgentStanding, Standing['state']>>> = {
  needs_person: 'needs you',
  tool_ended: 'tool ended',
};
/** Returns the word for people. A word of a later release is shown as it is. */
export const standingWord = (standing: string): Standing['state'] =>
  words[standing as AgentStanding] ?? (standing as Exclude<AgentStanding, 'needs_person' | 'tool_ended'>);

/** Prints `2`, or `2, paused`, or `-` when the number is unknown. */
export function queueCell({ queueWaiting, queuePaused }: Standing): string {
  if (queueWaiting === null) return '-';
  return queuePaused ? `${queueWaiting}, paused` : String(queueWaiting);
}
