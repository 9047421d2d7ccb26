import type { Schemas as GatewaySchemas } from '@houmao/sdk';
import type { Schemas } from '@houmao/sdk/managed-agent';
import { askedOfPerson } from './obstacle-words.js';

/** The state of a listed agent, in a word, and its waiting requests. */
export interface Standing {
  readonly state:
    | 'ready'
    | 'working'
    | 'busy'
    /** The agent waits for a person to answer the question on its screen. */
    | 'needs you'
    /** The tool does not run in its terminal any more. */
    | 'tool ended'
    | 'unreachable'
    | 'replaced'
    | 'fault'
    | 'no gateway'
    | 'no answer'
    | 'refuses you'
    | 'session gone'
    | 'unknown';
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
  state: queue?.fault ? 'fault' : stateByStatus(status, terminal),
  queueDepth: status.queue_depth,
  // The two numbers come from parallel calls, not from one transaction.
  queueWaiting: running === null ? null : Math.max(0, status.queue_depth - running),
  queuePaused: queue?.paused ?? null,
});

function stateByStatus(
  status: GatewaySchemas['GatewayStatus'],
  terminal: GatewaySchemas['TerminalState'] | null,
): Standing['state'] {
  if (status.request_admission === 'blocked_reconciliation') return 'replaced';
  if (status.managed_agent_connectivity !== 'connected') return 'unreachable';
  const shown = terminal && stateByScreen(terminal);
  if (shown) return shown;
  if (status.active_execution === 'running') return 'working';
  const surfaces = { ready: 'ready', not_ready: 'busy', unknown: 'unknown' } as const;
  return surfaces[status.terminal_surface_eligibility];
}

/** Returns the state that a server reports for an agent without a gateway. @param terminal null for an agent without one */
export function standingByServer(
  { availability, turn }: Schemas['AgentState'],
  terminal: Schemas['TerminalState'] | null,
): Standing {
  if (availability !== 'available') return only('unreachable');
  const shown = terminal && stateByScreen(terminal);
  if (shown) return only(shown);
  const states = { active: 'working', ready: 'ready', unknown: 'unknown' } as const;
  return only(states[turn.phase]);
}

/** Returns the state that the screen shows, when that matters more than a running turn; otherwise null. */
function stateByScreen(terminal: GatewaySchemas['TerminalState']): 'needs you' | 'tool ended' | null {
  if (terminal.diagnostics.availability === 'tui_down') return 'tool ended';
  return askedOfPerson(terminal) === null ? null : 'needs you';
}

/** Prints `2`, or `2, paused`, or `-` when the number is unknown. */
export function queueCell({ queueWaiting, queuePaused }: Standing): string {
  if (queueWaiting === null) return '-';
  return queuePaused ? `${queueWaiting}, paused` : String(queueWaiting);
}
