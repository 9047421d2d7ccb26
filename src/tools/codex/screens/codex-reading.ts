import type { Dialog } from '../../screen/dialog.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { type CodexActivity, codexActivity } from './codex-activity.js';
import { type CodexComposer, findComposer } from './codex-composer.js';
import { findCodexDialog } from './codex-dialog.js';
import { type CodexFailure, codexFailure } from './codex-failure.js';
import { findSlashMenu } from './codex-menu.js';
import type { CodexProfile } from './codex-profile.js';
import { type CodexTurn, latestTurn } from './codex-turn.js';

/** What one screen of Codex shows. */
export type CodexReading = { dialog: Dialog } | { dialog: null; prompt: CodexPrompt | null };

/** A screen with a composer. */
export interface CodexPrompt {
  composer: CodexComposer;
  slashMenu: boolean;
  turn: CodexTurn;
  activity: CodexActivity;
  failure: CodexFailure;
}

export function readCodexScreen(rows: readonly StyledRow[], profile: CodexProfile): CodexReading {
  const dialog = findCodexDialog(rows.map((row) => row.text));
  return dialog === null ? { dialog, prompt: readPrompt(rows, profile) } : { dialog };
}

function readPrompt(rows: readonly StyledRow[], profile: CodexProfile): CodexPrompt | null {
  const composer = findComposer(rows, profile);
  if (composer === null) return null;
  const menu = findSlashMenu(rows, composer);
  const turn = latestTurn(rows, menu ?? composer.row, profile);
  return {
    composer,
    slashMenu: menu !== null,
    turn,
    activity: codexActivity(turn, profile),
    failure: codexFailure(turn),
  };
}
