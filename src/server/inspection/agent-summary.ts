import type { RegistryRecord } from '../../session/registry-record.js';
import type { ManagedAgent } from '../directory/managed-agents.js';

/** The state of an agent, in terms that hold for every agent. */
export interface AgentSummary {
  readonly agent: ManagedAgent;
  readonly availability: Availability;
  readonly phase: 'ready' | 'active' | 'unknown';
  readonly activeTurnId: string | null;
  readonly lastTurn: LastTurnSummary;
  /** The obstacles that keep it from work, or from being observed. */
  readonly diagnostics: readonly Diagnostic[];
  readonly mailbox: MailboxSummary | null;
  readonly gateway: GatewaySummary | null;
}

export type Availability = 'available' | 'unavailable' | 'error';

/** The result of the latest turn; `none` where none has ended, `unknown` where that cannot be determined. */
export interface LastTurnSummary {
  readonly result: 'success' | 'interrupted' | 'known_failure' | 'none' | 'unknown';
  readonly turnId: string | null;
  readonly turnIndex: number | null;
  readonly updatedAtUtc: string | null;
}

export interface MailboxSummary {
  readonly transport: 'filesystem' | 'stalwart';
  readonly principalId: string | null;
  readonly address: string | null;
}

/** An obstacle that keeps an agent from work, or from being observed. */
export interface Diagnostic {
  /** A stable name. */
  readonly kind: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

export const diagnostic = (
  kind: string,
  message: string,
  details: Readonly<Record<string, string>> = {},
): Diagnostic => ({ kind, message, details });

/** A mailbox as a file names it, whichever program wrote the file. */
type Written = NonNullable<RegistryRecord['mailbox']> | { transport: string };

/**
 * Returns the mailbox of an agent by the registry, else by its manifest. Nothing secret is copied. Null without one, and
 * for a transport that this release does not know.
 */
export function mailboxSummary(
  registered: Written | null | undefined,
  launched: Written | null | undefined,
): MailboxSummary | null {
  const written = (registered ?? launched ?? null) as Record<string, unknown> | null;
  const transport = written?.transport;
  if (written === null || (transport !== 'filesystem' && transport !== 'stalwart')) return null;
  return { transport, principalId: textOf(written.principal_id), address: textOf(written.address) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The gateway beside an agent, in short. */
export interface GatewaySummary {
  readonly health: 'healthy' | 'not_attached';
  readonly connectivity: 'connected' | 'unavailable';
  readonly recovery: 'idle' | 'awaiting_rebind' | 'reconciliation_required';
  readonly admission: 'open' | 'blocked_unavailable' | 'blocked_reconciliation';
  readonly execution: 'idle' | 'running';
  /** Whether the agent accepts a prompt now. */
  readonly eligibility: 'ready' | 'not_ready' | 'unknown';
  readonly queueDepth: number;
  readonly host: '127.0.0.1' | '0.0.0.0' | null;
  readonly port: number | null;
}

/** The content of the status file of a session. */
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
  eligibility: 'unknown',
  queueDepth: 0,
  host: null,
  port: null,
};

/**
 * Returns the gateway of a session for which none answers: the stored status, unless that says that one is healthy. A
 * dead gateway is shown neither as healthy nor as properly detached.
 */
export function offlineGateway(
  reachability: GatewayReachability,
  stored: StoredStatus,
): GatewaySummary | null {
  if (reachability !== 'absent') return null;
  if (stored.kind === 'absent') return neverAttached;
  return stored.kind === 'read' && stored.status.health === 'not_attached' ? stored.status : null;
}

/** Returns the diagnostics of a gateway that should answer, or of its status file. */
export function gatewayTrouble(reachability: GatewayReachability, stored: StoredStatus): Diagnostic[] {
  if (reachability === 'silent')
    return [diagnostic('gateway_unreachable', 'The gateway of the agent runs but gives no usable answer.')];
  if (reachability === 'refuses')
    return [diagnostic('gateway_refuses', 'The gateway of the agent refuses calls from this server.')];
  if (reachability === 'answers') return [];
  if (stored.kind === 'unreadable')
    return [diagnostic('gateway_state_unreadable', "The last gateway's status file cannot be read.")];
  return stored.kind === 'read' && stored.status.health === 'healthy'
    ? [diagnostic('gateway_gone', 'The gateway of the agent has ended without a clean shutdown.')]
    : [];
}

/**
 * The result of a check for the gateway of a session. Only one that answers reports its agent; otherwise this server
 * observes the agent.
 */
export type GatewayReachability =
  | 'answers'
  /** There is none: nothing is published, or its process has ended. */
  | 'absent'
  /** Its process exists, and gives no usable answer. */
  | 'silent'
  /** It serves, but not this server. */
  | 'refuses';

/** The results of all calls to a gateway that an observation needs. */
interface PlaneFacts {
  /** The status of each answer; null for a call without one. No call was made where nothing is published. */
  readonly answers: readonly (number | null)[];
  /** Whether the process lives that published itself as the gateway of the session. */
  readonly processLives: boolean;
}

/** The statuses of a gateway that serves, but not this server. */
const refusals: ReadonlySet<number> = new Set([401, 403, 421]);

/**
 * Decides what a check has shown. A gateway counts only with its answers (docs/decisions.md#trust-after-health), and with
 * all of them: one that died between two has reported half. A refusal of one call, such as one for a terminal that it
 * does not have, is an answer.
 */
export function gatewayReachability({ answers, processLives }: PlaneFacts): GatewayReachability {
  const [first] = answers;
  if (first !== undefined && first !== null && refusals.has(first)) return 'refuses';
  if (first === 200 && !answers.includes(null)) return 'answers';
  return processLives ? 'silent' : 'absent';
}
