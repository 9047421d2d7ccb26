import type { Schemas as GatewaySchemas } from '@houmao/sdk';
import type { Schemas } from '@houmao/sdk/managed-agent';

/** How an agent of a list is, in a word, and what waits for it. */
export interface Standing {
  readonly state:
    | 'ready'
    | 'working'
    | 'busy'
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
  readonly queuePaused: boolean | null;
}

/** Nobody says what waits. */
export const only = (state: Standing['state']): Standing => ({ state, queueDepth: null, queuePaused: null });

/** By what its gateway says. */
export const standingByGateway = (
  status: GatewaySchemas['GatewayStatus'],
  queue: GatewaySchemas['QueueState'],
): Standing => ({
  state: queue.fault ? 'fault' : stateByStatus(status),
  queueDepth: status.queue_depth,
  queuePaused: queue.paused,
});

function stateByStatus(status: GatewaySchemas['GatewayStatus']): Standing['state'] {
  if (status.request_admission === 'blocked_reconciliation') return 'replaced';
  if (status.managed_agent_connectivity !== 'connected') return 'unreachable';
  if (status.active_execution === 'running') return 'working';
  return status.terminal_surface_eligibility === 'not_ready' ? 'busy' : 'ready';
}

/** By what a server says of an agent without a gateway. */
export function standingByServer({ availability, turn }: Schemas['AgentState']): Standing {
  if (availability !== 'available') return only('unreachable');
  const states = { active: 'working', ready: 'ready', unknown: 'unknown' } as const;
  return only(states[turn.phase]);
}

/** `2`, `2, paused`, `-` where nobody says. */
export function queueCell({ queueDepth, queuePaused }: Standing): string {
  if (queueDepth === null) return '-';
  return queuePaused ? `${queueDepth}, paused` : String(queueDepth);
}
