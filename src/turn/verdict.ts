import { countedWith, firstCodePoints } from '../foundation/text.js';
import { explainProviderError, type RecordError, type RecordErrorCode } from '../run/record-error.js';
import type { TurnOutcome, TurnSigns } from '../run/turn-signs.js';

export type StopReason = 'interrupt' | 'replace' | 'shutdown' | 'time_limit';

export interface Verdict {
  outcome: TurnOutcome;
  error: RecordError | null;
}

/**
 * Judges a turn by what the agent said, not by its exit code alone: real CLIs exit 0 after an interrupt and non-zero
 * after an answer (docs/decisions.md#verdict).
 */
export function judge(signs: TurnSigns, stop: StopReason | null): Verdict {
  if (signs.startFault) return failed(signs.startFault.code, signs.startFault.detail);
  if (signs.completion?.successful) return { outcome: 'completed', error: null };
  // When a turn was stopped, the stop reason says more than the server's "interrupted".
  if (signs.reportedOutcome && !(stop && signs.reportedOutcome.outcome === 'interrupted'))
    return signs.reportedOutcome;
  if (stop === 'replace') {
    return {
      outcome: 'replaced',
      error: { code: 'replaced', detail: 'The turn was ended to make room for a forced prompt.' },
    };
  }
  if (stop === 'interrupt') {
    return { outcome: 'interrupted', error: { code: 'interrupted', detail: 'The turn was interrupted.' } };
  }
  if (stop === 'shutdown') {
    return {
      outcome: 'interrupted',
      error: { code: 'interrupted', detail: 'The gateway was stopped while the turn ran.' },
    };
  }
  if (stop === 'time_limit')
    return failed('turn_time_limit', 'The turn ran longer than a turn of this agent may, and was ended.');
  if (signs.sessionLost) {
    return failed(
      'provider_session_lost',
      `The agent no longer knows the conversation it was to continue. ${lastWords(signs)}`,
    );
  }
  if (signs.supervisorLost) {
    return failed(
      'agent_crashed',
      'The supervisor of the turn vanished before the agent ended; was its tmux pane closed?',
    );
  }
  if (signs.completion) return providerFailure(signs.completion.message, signs);
  if (signs.signal)
    return failed('agent_crashed', `The agent was killed by ${signs.signal}. ${lastWords(signs)}`);
  if (signs.exitCode !== 0) return exitFailure(signs);
  if (signs.oversizedRows > 0) {
    return failed(
      'no_result',
      `The agent ended without a result that could be read; ${countedWith(signs.oversizedRows, 'row', ['was', 'were'])} over 16 MiB.`,
    );
  }
  return failed('no_result', `The agent exited with code 0 but never reported a result. ${lastWords(signs)}`);
}

/** The longest detail, in characters: people read it, and an agent's words may be megabytes. */
const maxDetail = 2000;

const failed = (code: RecordErrorCode, detail: string): Verdict => ({
  outcome: 'failed',
  error: { code, detail: firstCodePoints(detail.trim(), maxDetail) },
});

function providerFailure(message: string, signs: TurnSigns): Verdict {
  const explained = explainProviderError(message);
  if (explained) return failed('api_error', explained);
  return failed(
    'agent_failed',
    message.trim() || lastWords(signs) || 'The agent reported a failure without a reason.',
  );
}

function exitFailure(signs: TurnSigns): Verdict {
  const explained = explainProviderError(signs.lastError ?? '');
  if (explained) return failed('api_error', explained);
  return failed(
    'agent_failed',
    `The agent exited with code ${signs.exitCode}. ${signs.lastError ?? lastWords(signs)}`,
  );
}

/** Returns the last three lines that the agent wrote to stderr, as one line. */
function lastWords(signs: TurnSigns): string {
  const lines = signs.stderrTail.trim().split('\n').slice(-3).join(' | ');
  return lines === '' ? '' : `Its last words: ${lines}`;
}
