import type { ManagedAgent } from '../directory/managed-agent.js';
import type { Diagnostic } from './diagnostic.js';
import type { GatewaySummary } from './gateway-summary.js';

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
