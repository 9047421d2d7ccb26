import type { Schemas as GatewaySchemas } from '@houmao/sdk';
import type { Schemas } from '@houmao/sdk/managed-agent';
import { askedOfPerson } from './obstacle-words.js';

/** How an agent of a list is, in a word, and what waits for it. */
export interface Standing {
  readonly state:
    | 'ready'
    | 'working'
    | 'busy'
    /** It waits for a person to answer what its screen asks. */
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
  /** Requests that wait or run; null where there is no gateway that says so. */
  readonly queueDepth: number | null;
  /** Those that wait: a prompt that runs is one of the requests of a headless agent only, and none of a terminal that has it. */
  readonly queueWaiting: number | null;
  readonly queuePaused: boolean | null;
}

/** Nobody says what waits. */
export const only = (state: Standing['state']): Standing => ({
  state,
  queueDepth: null,
  queueWaiting: null,
  queuePaused: null,
});

/**
 * By what its gateway says.
 * @param queue null where the gateway does not know that call
 * @param running how many requests run; null where that cannot be read
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
  // The two were asked at once, not in one transaction.
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

/** By what a server says of an agent without a gateway. @param terminal null for an agent without one */
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

/** The state that its screen shows, where that matters more than a turn that runs; else null. */
function stateByScreen(terminal: GatewaySchemas['TerminalState']): 'needs you' | 'tool ended' | null {
  if (terminal.diagnostics.availability === 'tui_down') return 'tool ended';
  return askedOfPerson(terminal) === null ? null : 'needs you';
}

/** `2`, `2, paused`, `-` where nobody says. */
export function queueCell({ queueWaiting, queuePaused }: Standing): string {
  if (queueWaiting === null) return '-';
  return queuePaused ? `${queueWaiting}, paused` : String(queueWaiting);
}
