import type { components } from '../../../generated/managed-agent/types.js';
import type { HistoryEntry } from '../inspection/agent-history.js';
import type { AgentSummary } from '../inspection/agent-summary.js';
import type { Diagnostic } from '../inspection/diagnostic.js';
import { toIdentity } from './identity-wire.js';

type Wire = components['schemas'];

/** How an agent is, in the words of the contract. */
export const wireSummary = (summary: AgentSummary): Wire['AgentState'] => ({
  tracked_agent_id: summary.agent.trackedAgentId,
  identity: toIdentity(summary.agent),
  availability: summary.availability,
  turn: wireTurn(summary),
  last_turn: wireLastTurn(summary),
  diagnostics: summary.diagnostics.map(wireDiagnostic),
  mailbox: wireMailbox(summary),
  gateway: wireGateway(summary),
});

export const wireTurn = ({ phase, activeTurnId }: AgentSummary): Wire['AgentTurnState'] => ({
  phase,
  active_turn_id: activeTurnId,
});

export const wireLastTurn = ({ lastTurn }: AgentSummary): Wire['AgentLastTurn'] => ({
  result: lastTurn.result,
  turn_id: lastTurn.turnId,
  turn_index: lastTurn.turnIndex,
  updated_at_utc: lastTurn.updatedAtUtc,
});

export const wireDiagnostic = ({ kind, message, details }: Diagnostic): Wire['AgentDiagnostic'] => ({
  kind,
  message,
  details: { ...details },
});

export const wireMailbox = ({ mailbox }: AgentSummary): Wire['AgentMailboxSummary'] | null =>
  mailbox && { transport: mailbox.transport, principal_id: mailbox.principalId, address: mailbox.address };

export const wireGateway = ({ gateway }: AgentSummary): Wire['AgentGatewaySummary'] | null =>
  gateway && {
    gateway_health: gateway.health,
    managed_agent_connectivity: gateway.connectivity,
    managed_agent_recovery: gateway.recovery,
    request_admission: gateway.admission,
    active_execution: gateway.execution,
    queue_depth: gateway.queueDepth,
    gateway_host: gateway.host,
    gateway_port: gateway.port,
  };

export const wireEntry = (entry: HistoryEntry): Wire['AgentHistoryEntry'] => ({
  recorded_at_utc: entry.recordedAtUtc,
  summary: entry.summary,
  availability: entry.availability,
  turn_phase: entry.phase,
  last_turn_result: entry.result,
  turn_id: entry.turnId,
});
