import type { components } from '../../../generated/managed-agent/types.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { AgentDetail, ChatSession, HeadlessDetail } from '../inspection/agent-detail.js';
import type { AgentSummary } from '../inspection/agent-summary.js';
import type { TerminalTold } from '../inspection/terminal-facts.js';
import { sentenceOf, statusOf } from '../inspection/turn-words.js';
import {
  wireDiagnostic,
  wireGateway,
  wireLastTurn,
  wireMailbox,
  wireSummary,
  wireTurn,
} from './agent-state-wire.js';
import { terminalIdOf, wireTracked } from './tracked-terminal-wire.js';

type Wire = components['schemas'];

/** An agent looked at closely. */
export function wireDetail({ summary, detail }: AgentDetail): Wire['AgentDetail'] {
  const part =
    detail.transport === 'headless' ? wireHeadless(summary, detail) : wireTui(summary.agent, detail.terminal);
  const { tracked_agent_id, identity, ...state } = wireSummary(summary);
  const told = { tracked_agent_id, identity };
  return { ...told, summary_state: { ...told, ...state }, detail: part };
}

function wireTui(agent: ManagedAgent, told: TerminalTold): Wire['TuiAgentDetail'] {
  const { diagnostics, probe_snapshot, parsed_surface, surface, stability } = wireTracked(agent, told);
  const terminalId = terminalIdOf(agent);
  const route = `/houmao/terminals/${encodeURIComponent(terminalId)}`;
  return {
    transport: 'tui',
    terminal_id: terminalId,
    canonical_terminal_state_route: `${route}/state`,
    canonical_terminal_history_route: `${route}/history`,
    ...{ diagnostics, probe_snapshot, parsed_surface, surface, stability },
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
    // Nothing on record says it.
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
