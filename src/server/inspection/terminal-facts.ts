import { toMicrosecondStamp } from '../../foundation/clock.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import type { TerminalChange } from './agent-history.js';
import { diagnostic } from './agent-summary.js';
import type { TerminalFacts } from './terminal-summary.js';

/** A terminal as it is reported by the gateway that tracks it, or by this server. */
export type TerminalReport =
  | { readonly by: 'gateway'; readonly body: GatewayBody<'getTuiState'> }
  | { readonly by: 'server'; readonly state: TerminalState; readonly toolVersion: string | null };

export function terminalFacts(report: TerminalReport): TerminalFacts {
  if (report.by === 'gateway') {
    const { diagnostics, turn, last_turn } = report.body;
    return {
      availability: diagnostics.availability,
      phase: turn.phase,
      lastTurn: { result: last_turn.result, updatedAtUtc: last_turn.updated_at_utc },
      errors: errorsOf([diagnostics.probe_error, diagnostics.parse_error]),
    };
  }
  const { diagnostics, phase, lastTurn } = report.state;
  return {
    availability: diagnostics.availability,
    phase,
    lastTurn: {
      result: lastTurn.result,
      updatedAtUtc: lastTurn.updatedAt && toMicrosecondStamp(lastTurn.updatedAt),
    },
    errors: errorsOf([diagnostics.probeError, diagnostics.parseError]),
  };
}

/** Returns the latest changes, oldest first. */
export function terminalChanges(report: TerminalReport): TerminalChange[] {
  if (report.by === 'gateway')
    return report.body.recent_transitions.map((change) => ({
      recordedAtUtc: change.recorded_at_utc,
      summary: change.summary,
      availability: change.diagnostics_availability,
      phase: change.turn_phase,
      result: change.last_turn_result,
    }));
  return report.state.transitions.map(({ recordedAt, summary, availability, phase, lastTurn }) => ({
    recordedAtUtc: toMicrosecondStamp(recordedAt),
    summary,
    availability,
    phase,
    result: lastTurn.result,
  }));
}

interface TrackerError {
  readonly kind: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

const errorsOf = (errors: readonly (TrackerError | null)[]) =>
  errors.flatMap((error) => (error ? [diagnostic(error.kind, error.message, error.details)] : []));
