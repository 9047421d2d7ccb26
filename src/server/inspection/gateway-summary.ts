import type { GatewaySight } from './control-plane.js';
import { type Diagnostic, diagnostic } from './diagnostic.js';

/** The gateway beside an agent, in short. */
export interface GatewaySummary {
  readonly health: 'healthy' | 'not_attached';
  readonly connectivity: 'connected' | 'unavailable';
  readonly recovery: 'idle' | 'awaiting_rebind' | 'reconciliation_required';
  readonly admission: 'open' | 'blocked_unavailable' | 'blocked_reconciliation';
  readonly execution: 'idle' | 'running';
  readonly queueDepth: number;
  readonly host: '127.0.0.1' | '0.0.0.0' | null;
  readonly port: number | null;
}

/** What the status file of a session holds. */
export type StoredStatus =
  | { readonly kind: 'read'; readonly status: GatewaySummary }
  /** No gateway was ever there. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' };

const neverAttached: GatewaySummary = {
  health: 'not_attached',
  connectivity: 'unavailable',
  recovery: 'idle',
  admission: 'blocked_unavailable',
  execution: 'idle',
  queueDepth: 0,
  host: null,
  port: null,
};

/**
 * The gateway of a session that none answers for: what is stored, unless that says that one is healthy. A dead gateway is
 * shown neither as healthy nor as properly detached.
 */
export function offlineGateway(sight: GatewaySight, stored: StoredStatus): GatewaySummary | null {
  if (sight !== 'absent') return null;
  if (stored.kind === 'absent') return neverAttached;
  return stored.kind === 'read' && stored.status.health === 'not_attached' ? stored.status : null;
}

/** What is to be said of a gateway that should answer, or of its status file. */
export function gatewayTrouble(sight: GatewaySight, stored: StoredStatus): Diagnostic[] {
  if (sight === 'silent')
    return [diagnostic('gateway_unreachable', 'The gateway of the agent runs but gives no usable answer.')];
  if (sight === 'refuses')
    return [diagnostic('gateway_refuses', 'The gateway of the agent refuses calls from this server.')];
  if (sight === 'answers') return [];
  if (stored.kind === 'unreadable')
    return [diagnostic('gateway_state_unreadable', "The last gateway's status file cannot be read.")];
  return stored.kind === 'read' && stored.status.health === 'healthy'
    ? [diagnostic('gateway_gone', 'The gateway of the agent has ended without a clean shutdown.')]
    : [];
}
