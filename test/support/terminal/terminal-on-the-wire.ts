import type { components } from '../../../generated/gateway/types.js';
import { toMicrosecondStamp } from '../../../src/foundation/timestamps.js';
import type { Diagnostics } from '../../../src/terminal/tracker/diagnostics.js';
import type { ParsedSurface } from '../../../src/terminal/tracker/parsed-surface.js';
import type { ProbeSnapshot } from '../../../src/terminal/tracker/probe-snapshot.js';
import type { TerminalSnapshot } from '../../../src/terminal/tracker/terminal-snapshot.js';
import type { TerminalState } from '../../../src/terminal/tracker/terminal-state.js';
import type { Transition } from '../../../src/terminal/tracker/transitions.js';

type Wire = components['schemas'];

/** A state as the contract has it: every field of it comes from one of the state. */
export const stateOnTheWire = (
  state: TerminalState,
  session: Wire['TrackedSession'],
): Wire['TerminalState'] => ({
  terminal_id: session.terminal_aliases[0] ?? session.tracked_session_id,
  tracked_session: session,
  ...observations(state),
  recent_transitions: state.transitions.map(transitionOnTheWire),
});

export const snapshotOnTheWire = (snapshot: TerminalSnapshot): Wire['TerminalSnapshot'] => ({
  recorded_at_utc: toMicrosecondStamp(snapshot.recordedAt),
  ...observations(snapshot),
});

const observations = (snapshot: TerminalSnapshot): Omit<Wire['TerminalSnapshot'], 'recorded_at_utc'> => ({
  diagnostics: diagnosticsOnTheWire(snapshot.diagnostics),
  probe_snapshot: snapshot.probe && probeOnTheWire(snapshot.probe),
  parsed_surface: snapshot.parsed && parseOnTheWire(snapshot.parsed),
  surface: {
    accepting_input: snapshot.surface.acceptingInput,
    editing_input: snapshot.surface.editingInput,
    ready_posture: snapshot.surface.readyPosture,
  },
  turn: { phase: snapshot.phase },
  last_turn: {
    result: snapshot.lastTurn.result,
    source: snapshot.lastTurn.source,
    updated_at_utc: snapshot.lastTurn.updatedAt && toMicrosecondStamp(snapshot.lastTurn.updatedAt),
  },
  chat_context: snapshot.chatContext,
  chat_context_diagnostic: snapshot.chatContextDiagnostic && {
    tool_name: snapshot.chatContextDiagnostic.toolName,
    detector_name: snapshot.chatContextDiagnostic.detectorName,
    detector_version: snapshot.chatContextDiagnostic.detectorVersion,
    degraded_error_type: snapshot.chatContextDiagnostic.degradedErrorType,
    message_preview: snapshot.chatContextDiagnostic.messagePreview,
  },
  stability: {
    signature: snapshot.stability.signature,
    stable: snapshot.stability.stable,
    stable_for_seconds: snapshot.stability.stableForSeconds,
    stable_since_utc: toMicrosecondStamp(snapshot.stability.stableSince),
  },
});

const diagnosticsOnTheWire = (diagnostics: Diagnostics): Wire['TerminalDiagnostics'] => ({
  availability: diagnostics.availability,
  transport_state: diagnostics.transport,
  process_state: diagnostics.process,
  parse_status: diagnostics.parse,
  probe_error: diagnostics.probeError && { ...diagnostics.probeError },
  parse_error: diagnostics.parseError && { ...diagnostics.parseError },
});

const probeOnTheWire = (probe: ProbeSnapshot): Wire['TerminalProbe'] => ({
  observed_at_utc: toMicrosecondStamp(probe.observedAt),
  pane_id: probe.paneId,
  pane_pid: probe.panePid,
  captured_text_hash: probe.captured.hash,
  captured_text_length: probe.captured.length,
  captured_text_excerpt: probe.captured.excerpt,
  matched_process_names: [...probe.processNames],
});

const parseOnTheWire = (parsed: ParsedSurface): Wire['TerminalParse'] => ({
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

const transitionOnTheWire = (transition: Transition): Wire['TerminalTransition'] => ({
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
