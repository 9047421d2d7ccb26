import type { FrameSignals, Tristate } from '../../screen/frame-signals.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { type ComposerContent, type ComposerPlace, composerContent } from './claude-composer.js';
import type { ClaudeScreenRules } from './claude-screen-rules.js';
import { interruptHintIn, workReasons } from './interrupt-hint.js';
import { type LatestTurn, readLatestTurn } from './latest-turn.js';
import { pendingInput } from './pending-input.js';
import { hasSlashMenu } from './slash-menu.js';

/** What Claude Code offers in an empty composer after a turn that failed. */
const offerToResend = /\bresend your message\b/i;

/** What a frame with a composer shows. */
export function composerSignals(
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
