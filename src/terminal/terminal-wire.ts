import { toMicrosecondStamp } from '../foundation/clock.js';
import type { Diagnostics, ProbeSnapshot } from './tracker/observation.js';
import type { ParsedSurface } from './tracker/parsed-surface.js';
import type { TerminalSnapshot, TerminalState, Transition } from './tracker/terminal-state.js';

// The description of a terminal that both surfaces share, with the names of their contracts. Each surface passes it to its
// `reply`, which takes only the fields of its own contract.

/** Describes everything observed, and the latest changes; the surface adds whose terminal it is. */
export function wireTerminal(state: TerminalState) {
  const { recorded_at_utc, ...observed } = wireSnapshot(state);
  return { ...observed, recent_transitions: state.transitions.map(wireTransition) };
}

/** Describes the terminal at one moment. */
export function wireSnapshot(snapshot: TerminalSnapshot) {
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

export const wireDiagnostics = (seen: Diagnostics) => ({
  availability: seen.availability,
  transport_state: seen.transport,
  process_state: seen.process,
  parse_status: seen.parse,
  probe_error: seen.probeError && { ...seen.probeError, details: { ...seen.probeError.details } },
  parse_error: seen.parseError && { ...seen.parseError, details: { ...seen.parseError.details } },
});

const wireProbe = (probe: ProbeSnapshot) => ({
  observed_at_utc: toMicrosecondStamp(probe.observedAt),
  pane_id: probe.paneId,
  pane_pid: probe.panePid,
  captured_text_hash: probe.captured.hash,
  captured_text_length: probe.captured.length,
  captured_text_excerpt: probe.captured.excerpt,
  matched_process_names: [...probe.processNames],
});

const wireParse = (parsed: ParsedSurface) => ({
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

export const wireTransition = (transition: Transition) => ({
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
