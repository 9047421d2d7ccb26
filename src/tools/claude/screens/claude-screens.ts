import { type FrameSignals, surfaceSignatureOf, type Tristate } from '../../screen/frame-signals.js';
import type { ScreenProfile, ToolScreens } from '../../screen/screen-profile.js';
import { rowsRead, type StyledRow } from '../../screen/styled-rows.js';
import {
  type ComposerContent,
  type ComposerPlace,
  composerContent,
  findComposer,
  hasSlashMenu,
  isSuggestion,
} from './claude-composer.js';
import { findDialog } from './claude-dialog.js';
import { type ClaudeScreenRules, claudeScreenRules, hasLeft, lastVisible } from './claude-screen-rules.js';
import { interruptHintIn, type LatestTurn, readLatestTurn, workReasons } from './claude-turn.js';

/** The reader of Claude Code's terminal screens, tested with 2.1.81, 2.1.197 and 2.1.330. */
export const claudeScreens: ToolScreens = {
  name: 'claude_code',
  processNames: ['claude', 'claude-code'],
  // Claude Code 2.1.330 takes an Enter that arrives with a text, and a letter from 100 ms after Escape (50 ms: one of three).
  keyPauses: { text: 50, escape: 250 },
  profileFor(version): ScreenProfile {
    const rules = claudeScreenRules(version);
    return { version: rules.version, detect: (frame) => detectClaudeFrame(frame.rows, rules) };
  },
};

/** Reads one frame of Claude Code. */
function detectClaudeFrame(all: readonly StyledRow[], rules: ClaudeScreenRules): FrameSignals {
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
  // Claude Code never reports that a conversation could not be compacted.
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

const openings = [/^Unable to connect to\b/, /^Failed to connect to\b/];

const rowsAtEnd = 30;

/** Returns the message with which Claude Code fails to start; null if there is none. */
function startupFailure(rows: readonly StyledRow[]): string | null {
  const texts = lastVisible(rows, rowsAtEnd).map((row) => row.text.trim());
  return texts.find((text) => openings.some((opening) => opening.test(text))) ?? null;
}

/** The placeholder of an empty composer after a failed turn. */
const offerToResend = /\bresend your message\b/i;

/** Reads a frame with a composer. */
function composerSignals(
  nothing: FrameSignals,
  rows: readonly StyledRow[],
  place: ComposerPlace,
  rules: ClaudeScreenRules,
): FrameSignals {
  const content = composerContent(rows, place, rules);
  const turn = readLatestTurn(rows, place.upperRule, rules);
  const hint = interruptHintIn(rows.slice(place.lowerRule + 1));
  const menu = content.kind !== 'placeholder' && hasSlashMenu(rows, place, content.text);

  const activeReasons = turn.interrupted ? [] : workReasons(turn, hint);
  const active = activeReasons.length > 0;
  const failed = !active && !turn.interrupted && saysFailed(turn, content);
  const successBlocked = hint || active || failed || menu;
  const finished = turn.completion !== null || turn.hasAnswer;

  return {
    ...nothing,
    acceptingInput: 'yes',
    editingInput: editing(content),
    readyPosture: hint || menu ? 'unknown' : active ? 'no' : 'yes',
    pendingInput: menu ? 'unknown' : pendingInput(rows.slice(0, place.upperRule), content, turn, rules),
    promptVisible: true,
    promptText: content.draft,
    activeReasons,
    interrupted: turn.interrupted,
    knownFailure: failed,
    currentError: failed,
    successCandidate: finished && !successBlocked && !turn.interrupted,
    successBlocked,
    completionMarker: turn.completion !== null,
    statusLine: statusLine(turn, active),
    overlay: menu ? 'slash_command' : null,
    notes: [...nothing.notes, ...notesOn(content, turn)],
  };
}

function editing({ kind }: ComposerContent): Tristate {
  if (kind === 'unknown') return 'unknown';
  return kind === 'draft' ? 'yes' : 'no';
}

const saysFailed = (turn: LatestTurn, content: ComposerContent): boolean =>
  turn.failure !== null || (content.kind === 'placeholder' && offerToResend.test(content.text));

function statusLine(turn: LatestTurn, active: boolean): string | null {
  if (active) return turn.work?.text ?? null;
  return turn.failure ?? turn.result ?? turn.completion;
}

const notesOn = (content: ComposerContent, turn: LatestTurn): string[] => [
  `prompt_kind=${content.kind}`,
  ...(content.suggested ? ['ghost_suggestion_style'] : []),
  ...(content.kind === 'unknown' ? ['unrecognized_prompt_presentation'] : []),
  ...(turn.anchored ? [] : ['latest_turn_anchor_missing']),
];

const reach = 8;

/**
 * Decides whether prompts wait in Claude Code's queue. It says so below them, or in the empty composer; older versions only show
 * them in the colours of a suggestion above the composer. Hints above the composer, at any indentation, are not a queue.
 */
export function pendingInput(
  above: readonly StyledRow[],
  composer: ComposerContent,
  turn: LatestTurn,
  rules: ClaudeScreenRules,
): Tristate {
  if (turn.queued) return 'yes';
  if (composer.kind === 'placeholder' && /\bedit queued messages?\b/.test(composer.text)) return 'yes';
  const row = indentedPromptRow(above);
  if (row === undefined) return 'no';
  const typed = row.runs.filter((run) => !/^ *❯? *$/.test(run.text));
  return typed.length > 0 && typed.every((run) => isSuggestion(run, rules)) ? 'yes' : 'unknown';
}

function indentedPromptRow(above: readonly StyledRow[]): StyledRow | undefined {
  const block = above.at(-1)?.text === '' ? above.slice(0, -1) : above;
  const near = block.slice(-reach);
  return near
    .slice(near.findLastIndex((row) => row.text === '') + 1)
    .findLast((row) => /^ {2,}❯ /.test(row.text));
}
