import type { FrameSignals } from '../../screen/frame-signals.js';
import { runAt } from '../../screen/run-at.js';
import { nothingRead, type ScreenReading, signalsOf } from '../../screen/signals-of.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { findGeminiComposer, type GeminiComposer } from './gemini-composer.js';
import { findGeminiDialog } from './gemini-dialog.js';
import type { GeminiProfile } from './gemini-profile.js';
import { latestGeminiTurn } from './gemini-turn.js';

export const geminiDetector = 'gemini_cli';

/** What Gemini CLI shows: one frame decides, as it says that it works for as long as it does. */
export function detectGemini(
  rows: readonly StyledRow[],
  profile: GeminiProfile,
  notes: readonly string[],
): FrameSignals {
  const composer = findGeminiComposer(rows, profile);
  const reading =
    composer === null
      ? { ...nothingRead, dialog: findGeminiDialog(rows.map((row) => row.text)) }
      : withComposer(rows, composer);
  const detector = { name: geminiDetector, version: profile.version };
  return signalsOf(detector, rows, { ...reading, notes: [...notes, ...reading.notes] });
}

function withComposer(rows: readonly StyledRow[], composer: GeminiComposer): ScreenReading {
  const turn = latestGeminiTurn(rows, composer.status);
  const status = rows
    .slice(composer.status, composer.rule)
    .map((row) => statusIn(row.text))
    .find((each) => each !== null);
  return {
    composer,
    dialog: null,
    overlay: hasMenu(composer) ? 'slash_command' : null,
    queued: turn.queued,
    activeReasons: status === undefined ? [] : ['status_row'],
    interrupted: turn.outcome === 'interrupted',
    knownFailure: turn.requestFailed,
    currentError: turn.outcome === 'failed',
    answered: turn.outcome === 'answered',
    completionMarker: false,
    statusLine: status ?? turn.message,
    chatContext: { state: 'current', diagnostic: null },
    notes: status === undefined && turn.outcome === 'failed' ? ['current_error_present'] : [],
  };
}

/** What Gemini CLI says of its work, such as `Thinking... (esc to cancel, 3s)`; null for any other row. */
function statusIn(text: string): string | null {
  return /^ (?:[\u2800-\u28ff] )?(\S.*\(esc to cancel\b[^()]*\))/.exec(text)?.[1] ?? null;
}

/** A menu stands between the composer and the footer, and the entry that Enter would choose is highlighted. */
function hasMenu({ text, below }: GeminiComposer): boolean {
  const entry = below.find((row) => row.text !== '');
  return /^[/@]|\s@/.test(text) && entry !== undefined && runAt(entry, 1)?.background !== null;
}
