import type { components } from '../../../generated/gateway/types.js';
import {
  type AgentTerminal,
  type DialogAnswer,
  type DialogOutcome,
  TerminalLost,
} from '../../agent/target/agent-terminal.js';
import { toMicrosecondStamp } from '../../foundation/clock.js';
import { parseKeySequence, UnsendableKeys } from '../../terminal/terminal-input.js';
import type { ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { Dialogs } from '../control/dialogs.js';

type Wire = components['schemas'];

/** The answer to a caller. */
type Answer =
  | { status: 200; result: Wire['DialogAnswerResult'] }
  | { status: 409; detail: string }
  | { status: 422; detail: string }
  /** `lost`: it is unknown which keys were typed. */
  | { status: 503; detail: string; lost: boolean };

export const wireDialog = (dialog: ShownDialog): Wire['Dialog'] => ({
  dialog_id: dialog.id,
  kind: dialog.kind,
  text: dialog.excerpt,
  choices: dialog.choices.map(({ number, label, marked }) => ({ number, label, marked })),
  since_utc: toMicrosecondStamp(dialog.since),
});

const unreadScreen = 'The screen cannot be read now, so it is not known what it asks.';

/** Returns the question on the screen now, or why that is unknown. */
export async function dialogNow(
  terminal: AgentTerminal,
): Promise<{ dialog: ShownDialog | null } | { detail: string }> {
  const { diagnostics, dialog } = await terminal.observe();
  const { tool, attachCommand } = terminal.names;
  if (diagnostics.availability === 'available') return { dialog };
  if (diagnostics.availability === 'tui_down')
    return { detail: `${tool} has ended in its terminal. Start it there again: ${attachCommand}` };
  return { detail: unreadScreen };
}

export async function answerTo(
  body: Wire['DialogAnswer'],
  terminal: AgentTerminal,
  dialogs: Dialogs,
): Promise<Answer> {
  const answer = answerOf(body);
  if ('detail' in answer) return { status: 422, detail: answer.detail };
  try {
    const seen = await dialogNow(terminal);
    if ('detail' in seen) return { status: 503, detail: seen.detail, lost: false };
    return answered(body.dialog_id, answer, await dialogs.answer(body.dialog_id, answer));
  } catch (error) {
    if (!(error instanceof TerminalLost)) throw error;
    return {
      status: 503,
      detail: 'The terminal was lost while the keys were typed; what was typed before stays typed.',
      lost: true,
    };
  }
}

function answerOf({ choose, keys }: Wire['DialogAnswer']): DialogAnswer | { detail: string } {
  if (typeof choose === 'number') return { choose };
  try {
    return { keys: parseKeySequence(keys ?? '') };
  } catch (error) {
    if (error instanceof UnsendableKeys) return { detail: error.message };
    throw error;
  }
}

/** Returns the answer for the outcome of the keys. Pure. */
function answered(id: string, answer: DialogAnswer, became: DialogOutcome): Answer {
  if (became.outcome === 'unread')
    return { status: 503, detail: `${unreadScreen} Nothing was chosen.`, lost: became.moved };
  const { outcome, dialog } = became;
  switch (outcome) {
    case 'answered':
      return done('answered', id, dialog, 'The dialog was answered and has left the screen.');
    case 'stands':
      return done(
        'still_shown',
        id,
        dialog,
        `The keys were pressed, but the screen still shows a question; it is ${dialog?.id ?? 'unknown'} now.`,
      );
    case 'another':
      return {
        status: 409,
        detail: `${id} is not on the screen any more; ${asksNow(dialog)} Nothing was chosen.`,
      };
    case 'unmoved':
      return {
        status: 422,
        detail:
          'The arrow keys do not move the selection to that choice; nothing was chosen. Answer with keys.',
      };
    case 'no_choice':
      return { status: 422, detail: noChoice(dialog, answer) };
  }
}

const done = (
  outcome: 'answered' | 'still_shown',
  id: string,
  dialog: ShownDialog | null,
  detail: string,
): Answer => ({
  status: 200,
  result: { schema_version: 1, outcome, dialog_id: id, dialog: dialog && wireDialog(dialog), detail },
});

const asksNow = (dialog: ShownDialog | null): string =>
  dialog === null ? 'it is not asking anything.' : `it shows ${dialog.id} now.`;

function noChoice({ choices }: ShownDialog, answer: DialogAnswer): string {
  const chosen = 'choose' in answer ? answer.choose : '';
  return choices.length === 0
    ? 'The dialog has no list of choices that can be read; answer with keys. Nothing was pressed.'
    : `The dialog has no choice ${chosen}; it has ${choices.map(({ number }) => number).join(', ')}. Nothing was pressed.`;
}
