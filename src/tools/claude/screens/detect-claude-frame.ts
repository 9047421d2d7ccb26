import type { FrameSignals } from '../../screen/frame-signals.js';
import { rowsRead } from '../../screen/rows-read.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { surfaceSignatureOf } from '../../screen/surface-signature.js';
import { findComposer } from './claude-composer.js';
import { findDialog } from './claude-dialog.js';
import type { ClaudeScreenRules } from './claude-screen-rules.js';
import { composerSignals } from './composer-signals.js';
import { interruptHintIn, workReasons } from './interrupt-hint.js';
import { readLatestTurn } from './latest-turn.js';
import { hasLeft, lastVisible } from './row-shapes.js';
import { startupFailure } from './startup-failure.js';

/** What one frame of Claude Code shows. */
export function detectClaudeFrame(all: readonly StyledRow[], rules: ClaudeScreenRules): FrameSignals {
  const rows = all.slice(-rowsRead);
  const nothing = nothingSeen(rules, surfaceSignatureOf(all));
  const composer = findComposer(rows, rules);
  const dialog = findDialog(
    composer === null ? rows : rows.slice(composer.lowerRule + 1),
    composer !== null,
    rules,
  );
  if (dialog !== null) {
    return { ...nothing, acceptingInput: 'no', readyPosture: 'no', successBlocked: true, dialog };
  }
  return composer === null
    ? withoutComposer(nothing, rows, rules)
    : composerSignals(nothing, rows, composer, rules);
}

const nothingSeen = (rules: ClaudeScreenRules, surfaceSignature: string): FrameSignals => ({
  detector: { name: 'claude_code', version: rules.version },
  acceptingInput: 'unknown',
  editingInput: 'unknown',
  readyPosture: 'unknown',
  pendingInput: 'unknown',
  promptVisible: false,
  promptText: null,
  activeReasons: [],
  interrupted: false,
  knownFailure: false,
  currentError: false,
  successCandidate: false,
  successBlocked: false,
  completionMarker: false,
  statusLine: null,
  dialog: null,
  overlay: null,
  // Claude Code never says of a conversation that it could not be compacted.
  chatContext: { state: 'current', diagnostic: null },
  surfaceSignature,
  notes: rules.notes,
});

function withoutComposer(
  nothing: FrameSignals,
  rows: readonly StyledRow[],
  rules: ClaudeScreenRules,
): FrameSignals {
  const failure = startupFailure(rows);
  if (failure !== null) {
    const notes = [...nothing.notes, 'startup_failure'];
    return { ...nothing, currentError: true, successBlocked: true, statusLine: failure, notes };
  }
  if (hasLeft(lastVisible(rows))) return { ...nothing, notes: [...nothing.notes, 'tool_left'] };
  const turn = readLatestTurn(rows, rows.length, rules);
  // Without a prompt or a banner this may be the screen of another program.
  const reasons = turn.anchored ? workReasons(turn, interruptHintIn(rows)) : [];
  if (reasons.length === 0) return nothing;
  return {
    ...nothing,
    readyPosture: 'no',
    activeReasons: reasons,
    successBlocked: true,
    statusLine: turn.work?.text ?? null,
    notes: [...nothing.notes, 'active_turn_detected'],
  };
}
