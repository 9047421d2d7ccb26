import type { components } from '../../../generated/gateway/types.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import { toMicrosecondStamp } from '../../foundation/timestamps.js';
import type { Diagnostics } from '../../terminal/tracker/diagnostics.js';
import type { ParsedSurface } from '../../terminal/tracker/parsed-surface.js';
import type { ProbeSnapshot } from '../../terminal/tracker/probe-snapshot.js';
import type { TerminalSnapshot } from '../../terminal/tracker/terminal-snapshot.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { Transition } from '../../terminal/tracker/transitions.js';
import type { Gateway } from '../gateway.js';

type Wire = components['schemas'];

/** A terminal as the contract tells of it. */
export function wireState(session: Wire['TrackedSession'], state: TerminalState): Wire['TerminalState'] {
  const { recorded_at_utc, ...observed } = wireSnapshot(state);
  return {
    terminal_id: session.tracked_session_id,
    tracked_session: session,
    ...observed,
    recent_transitions: state.transitions.map(wireTransition),
  };
}

export const wireHistory = (
  { names: { sessionId } }: AgentTerminal,
  entries: readonly TerminalSnapshot[],
): Wire['TerminalHistory'] => ({
  terminal_id: sessionId,
  tracked_session_id: sessionId,
  entries: entries.map(wireSnapshot),
});

export function trackedSession(
  { manifest, paths }: Gateway,
  { names, toolVersion }: AgentTerminal,
): Wire['TrackedSession'] {
  return {
    tracked_session_id: names.sessionId,
    session_name: names.sessionId,
    tool: names.tool,
    observed_tool_version: toolVersion,
    tmux_session_name: names.tmuxSession,
    tmux_window_name: manifest.tmux?.primary_window_name ?? null,
    terminal_aliases: [],
    agent_name: manifest.agent_name ?? null,
    agent_id: manifest.agent_id ?? null,
    manifest_path: paths.manifest,
    session_root: paths.root,
  };
}

export function wireSnapshot(snapshot: TerminalSnapshot): Wire['TerminalSnapshot'] {
  const { surface, lastTurn, stability, chatContextDiagnostic: context } = snapshot;
  return {
    recorded_at_utc: toMicrosecondStamp(snapshot.recordedAt),
    diagnostics: wireDiagnostics(snapshot.diagnostics),
    probe_snapshot: snapshot.probe && wireProbe(snapshot.probe),
    parsed_surface: snapshot.parsed && wireParse(snapshot.parsed),
    surface: {
      accepting_input: surface.acceptingInput,
      editing_input: surface.editingInput,
      ready_posture: surface.readyPosture,
    },
    turn: { phase: snapshot.phase },
    last_turn: {
      result: lastTurn.result,
      source: lastTurn.source,
      updated_at_utc: lastTurn.updatedAt && toMicrosecondStamp(lastTurn.updatedAt),
    },
    chat_context: snapshot.chatContext,
    chat_context_diagnostic: context && {
      tool_name: context.toolName,
      detector_name: context.detectorName,
      detector_version: context.detectorVersion,
      degraded_error_type: context.degradedErrorType,
      message_preview: context.messagePreview,
    },
    stability: {
      signature: stability.signature,
      stable: stability.stable,
      stable_for_seconds: stability.stableForSeconds,
      stable_since_utc: toMicrosecondStamp(stability.stableSince),
    },
  };
}

const wireDiagnostics = (seen: Diagnostics): Wire['TerminalDiagnostics'] => ({
  availability: seen.availability,
  transport_state: seen.transport,
  process_state: seen.process,
  parse_status: seen.parse,
  probe_error: seen.probeError && { ...seen.probeError, details: { ...seen.probeError.details } },
  parse_error: seen.parseError && { ...seen.parseError, details: { ...seen.parseError.details } },
});

const wireProbe = (probe: ProbeSnapshot): Wire['TerminalProbe'] => ({
  observed_at_utc: toMicrosecondStamp(probe.observedAt),
  pane_id: probe.paneId,
  pane_pid: probe.panePid,
  captured_text_hash: probe.captured.hash,
  captured_text_length: probe.captured.length,
  captured_text_excerpt: probe.captured.excerpt,
  matched_process_names: [...probe.processNames],
});

const wireParse = (parsed: ParsedSurface): Wire['TerminalParse'] => ({
  parser_family: parsed.family,
  parser_preset_id: parsed.presetId,
  parser_preset_version: parsed.presetVersion,
  availability: parsed.availability,
  business_state: parsed.businessState,
  input_mode: parsed.inputMode,
  ui_context: parsed.uiContext,
  normalized_projection_text: parsed.text.normalized,
  dialog_text: parsed.text.dialog,
  dialog_head: parsed.text.head,
  dialog_tail: parsed.text.tail,
  anomaly_codes: [...parsed.anomalyCodes],
  baseline_invalidated: parsed.baselineInvalidated,
  operator_blocked_excerpt: parsed.operatorBlockedExcerpt,
});

const wireTransition = (transition: Transition): Wire['TerminalTransition'] => ({
  recorded_at_utc: toMicrosecondStamp(transition.recordedAt),
  summary: transition.summary,
  changed_fields: [...transition.changedFields],
  diagnostics_availability: transition.availability,
  turn_phase: transition.phase,
  last_turn_result: transition.lastTurn.result,
  last_turn_source: transition.lastTurn.source,
  transport_state: transition.transport,
  process_state: transition.process,
  parse_status: transition.parse,
});
