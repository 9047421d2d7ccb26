import type { components } from '../../../generated/managed-agent/types.js';
import { wireTerminal } from '../../terminal/terminal-wire.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { AgentDetail, ChatSession, HeadlessDetail } from '../inspection/agent-detail.js';
import type { HistoryEntry } from '../inspection/agent-history.js';
import type { AgentSummary, Diagnostic } from '../inspection/agent-summary.js';
import { sentenceOf, statusOf } from '../inspection/session-turns.js';
import type { TerminalReport } from '../inspection/terminal-facts.js';

/** Converts the identity of an agent to the form of the contract. */
export const toIdentity = (agent: ManagedAgent): components['schemas']['AgentIdentity'] => ({
  tracked_agent_id: agent.trackedAgentId,
  transport: agent.transport,
  tool: agent.tool,
  session_name: agent.sessionName,
  terminal_id: agent.terminalId,
  runtime_session_id: agent.runtimeSessionId,
  tmux_session_name: agent.tmuxSessionName,
  tmux_window_name: agent.tmuxWindowName,
  manifest_path: agent.manifestPath,
  session_root: agent.sessionRoot,
  agent_name: agent.agentName,
  agent_id: agent.agentId,
});

type Wire = components['schemas'];

/** Converts the state of an agent to the form of the contract. */
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

/** Returns the id of an agent's terminal; it is the same whether a gateway tracks the terminal or this server does. */
export const terminalIdOf = ({ terminalId, trackedAgentId }: ManagedAgent): string =>
  terminalId ?? trackedAgentId;

/** Converts a terminal to the form of the contract. */
export function wireTracked(agent: ManagedAgent, report: TerminalReport): Wire['TerminalState'] {
  const version =
    report.by === 'gateway' ? report.body.tracked_session.observed_tool_version : report.toolVersion;
  const observed = report.by === 'gateway' ? report.body : wireTerminal(report.state);
  return { ...observed, terminal_id: terminalIdOf(agent), tracked_session: trackedSession(agent, version) };
}

const trackedSession = (agent: ManagedAgent, version: string | null): Wire['TrackedSession'] => ({
  tracked_session_id: agent.trackedAgentId,
  session_name: agent.sessionName ?? agent.trackedAgentId,
  tool: agent.tool,
  observed_tool_version: version,
  tmux_session_name: agent.tmuxSessionName ?? agent.trackedAgentId,
  tmux_window_name: agent.tmuxWindowName,
  terminal_aliases: agent.terminalId === null ? [] : [agent.terminalId],
  agent_name: agent.agentName,
  agent_id: agent.agentId,
  manifest_path: agent.manifestPath,
  session_root: agent.sessionRoot,
});

/** Converts the detail of an agent to the form of the contract. */
export function wireDetail({ summary, detail }: AgentDetail): Wire['AgentDetail'] {
  const part =
    detail.transport === 'headless' ? wireHeadless(summary, detail) : wireTui(summary.agent, detail.terminal);
  const { tracked_agent_id, identity, ...state } = wireSummary(summary);
  const named = { tracked_agent_id, identity };
  return { ...named, summary_state: { ...named, ...state }, detail: part };
}

function wireTui(agent: ManagedAgent, report: TerminalReport): Wire['TuiAgentDetail'] {
  const { diagnostics, probe_snapshot, parsed_surface, surface, stability } = wireTracked(agent, report);
  const terminalId = terminalIdOf(agent);
  const route = `/houmao/terminals/${encodeURIComponent(terminalId)}`;
  return {
    transport: 'tui',
    terminal_id: terminalId,
    canonical_terminal_state_route: `${route}/state`,
    canonical_terminal_history_route: `${route}/history`,
    diagnostics,
    probe_snapshot,
    parsed_surface,
    surface,
    stability,
  };
}

function wireHeadless(summary: AgentSummary, detail: HeadlessDetail): Wire['HeadlessAgentDetail'] {
  const { active, last } = detail;
  return {
    transport: 'headless',
    runtime_resumable: detail.resumable,
    tmux_session_live: detail.tmuxLive,
    can_accept_prompt_now: detail.canAcceptPromptNow,
    interruptible: detail.interruptible,
    chat_session: detail.chat && wireChat(detail.chat),
    turn: wireTurn(summary),
    last_turn: wireLastTurn(summary),
    active_turn_started_at_utc: active?.startedAtUtc ?? null,
    active_turn_interrupt_requested_at_utc: active?.interruptRequestedAtUtc ?? null,
    last_turn_status: last && statusOf(last),
    last_turn_started_at_utc: last?.startedAtUtc ?? null,
    last_turn_completed_at_utc: last?.endedAtUtc ?? null,
    // No record contains it.
    last_turn_completion_source: null,
    last_turn_returncode: last?.returncode ?? null,
    last_turn_history_summary: last && sentenceOf(last.turnId, statusOf(last), last.error?.detail ?? null),
    last_turn_error: last?.error?.detail ?? null,
    mailbox: wireMailbox(summary),
    gateway: wireGateway(summary),
    diagnostics: summary.diagnostics.map(wireDiagnostic),
  };
}

const wireChat = ({ pinned, startup, override }: ChatSession): Wire['HeadlessChatSession'] => ({
  current: pinned === null ? null : { id: pinned },
  startup_default:
    startup.mode === 'exact' ? { mode: 'exact', id: startup.id } : { mode: startup.mode, id: null },
  next_prompt_override: override && { mode: override },
});
