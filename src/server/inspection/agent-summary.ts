import type { RegistryRecord } from '../../session/registry-record.js';
import type { ManagedAgent } from '../directory/managed-agent.js';

/** How an agent is, in terms that hold for every agent. */
export interface AgentSummary {
  readonly agent: ManagedAgent;
  readonly availability: Availability;
  readonly phase: 'ready' | 'active' | 'unknown';
  readonly activeTurnId: string | null;
  readonly lastTurn: LastTurn;
  /** What keeps it from work, or from being seen. */
  readonly diagnostics: readonly Diagnostic[];
  readonly mailbox: MailboxSummary | null;
  readonly gateway: GatewaySummary | null;
}

export type Availability = 'available' | 'unavailable' | 'error';

/** How the latest turn ended; `none` where none has, `unknown` where that cannot be told. */
export interface LastTurn {
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

/** Something that keeps an agent from work, or from being seen. */
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

/** A mailbox as a file names it, whoever wrote that. */
type Written = NonNullable<RegistryRecord['mailbox']> | { transport: string };

/**
 * Where the agent has its mailbox: the registry says so, else its manifest. Nothing secret is taken over. Null without one, and for
 * a transport that this release does not know.
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

/** What a look for the gateway of a session has shown. Only one that answers tells of its agent; else this server looks itself. */
export type GatewaySight =
  | 'answers'
  /** None is there: nothing is published, or its process has ended. */
  | 'absent'
  /** Its process is there, and gives no usable answer. */
  | 'silent'
  /** It serves, but not this server. */
  | 'refuses';

/** What came of asking a gateway for all that is wanted of it. */
interface PlaneFacts {
  /** The status of each answer; null for a question without one. None were asked where nothing is published. */
  readonly answers: readonly (number | null)[];
  /** Whether the process is there that published itself as the gateway of the session. */
  readonly processLives: boolean;
}

/** It serves, but not this server. */
const refusals: ReadonlySet<number> = new Set([401, 403, 421]);

/**
 * A gateway counts only with its answers (docs/decisions.md#trust-after-health), and with all of them: one that died between two
 * has told half. A refusal of one question, such as of a terminal that it has not, is an answer.
 */
export function gatewaySight({ answers, processLives }: PlaneFacts): GatewaySight {
  const [first] = answers;
  if (first !== undefined && first !== null && refusals.has(first)) return 'refuses';
  if (first === 200 && !answers.includes(null)) return 'answers';
  return processLives ? 'silent' : 'absent';
}
