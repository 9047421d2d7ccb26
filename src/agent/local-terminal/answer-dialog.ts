import type { Pane } from '../../terminal/pane.js';
import type { KeyName, KeySegment } from '../../terminal/terminal-input.js';
import { dialogSight, type ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { DialogAnswer, DialogAnswered } from '../target/agent-terminal.js';
import { lookNow, nextSign, type TerminalParts, typePaced } from './terminal-parts.js';

/** For a key to show its effect on the screen. */
const effectMilliseconds = 1500;
/** For the question to leave the screen after it was answered. */
const goneMilliseconds = 3000;

// How a choice is made:
//
//   asked ──the mark is elsewhere──▶ moving ──the mark stands on the choice──▶ marked ──Enter──▶ gone, or still there
//
// Each step begins with a look that sees the question: where another one stands, or none, or the screen stays half drawn, no
// further key is pressed. Numbers are not pressed: some tools choose at the first digit, others wait for more of them.

/**
 * Answers the question that has this id, and nothing else.
 * @throws {TmuxFault} what was typed before stays typed.
 */
export async function answerDialog(
  parts: TerminalParts,
  id: string,
  answer: DialogAnswer,
): Promise<DialogAnswered> {
  const { read, dialog } = await untilRead(parts);
  if (!read) return { outcome: 'unread', moved: false };
  if (dialog?.id !== id) return { outcome: 'another', dialog, moved: false };
  const { watch } = parts;
  const pane = await watch.pane();
  if ('keys' in answer) {
    watch.tracker.noteAnswer({ dialogId: id, by: 'keys' });
    await pane.leaveMode();
    await typePaced(parts, pane, answer.keys);
  } else {
    if (!canBeChosen(dialog, answer.choose)) return { outcome: 'no_choice', dialog };
    const reached = await markChoice(parts, pane, dialog, answer.choose);
    if (reached.outcome !== 'marked') return reached;
    watch.tracker.noteAnswer({ dialogId: id, by: 'choose' });
    await press(pane, [{ key: 'Enter' }]);
  }
  const left = await until(parts, goneMilliseconds, (now) => now?.id !== id);
  if (left.came) return { outcome: 'answered', dialog: left.dialog };
  return { outcome: 'stands', dialog: watch.tracker.renewDialog().dialog };
}

/** Pure: whether it has that choice, and shows which one is marked. */
const canBeChosen = ({ choices }: ShownDialog, number: number): boolean =>
  choices.some((choice) => choice.number === number) && choices.some(({ marked }) => marked);

type Marking = { outcome: 'marked' } | Extract<DialogAnswered, { outcome: 'another' | 'unread' | 'unmoved' }>;

async function markChoice(
  parts: TerminalParts,
  pane: Pane,
  asked: ShownDialog,
  wanted: number,
): Promise<Marking> {
  let dialog = asked;
  for (let pressed = 0; pressed <= asked.choices.length; pressed += 1) {
    const at = markedIn(dialog);
    const key = towards(dialog, wanted);
    if (key === null) return { outcome: 'marked' };
    await press(pane, [{ key }]);
    const moved = await until(
      parts,
      effectMilliseconds,
      (now) => now?.id !== asked.id || markedIn(now) !== at,
    );
    if (moved.dialog?.id !== asked.id) return { outcome: 'another', dialog: moved.dialog, moved: true };
    if (!moved.read) return { outcome: 'unread', moved: true };
    if (!moved.came) return { outcome: 'unmoved', dialog: moved.dialog };
    dialog = moved.dialog;
  }
  return { outcome: 'unmoved', dialog };
}

const markedIn = ({ choices }: ShownDialog): number | undefined =>
  choices.find(({ marked }) => marked)?.number;

/** Pure: the key that brings the mark nearer to a choice; null where it stands on it. */
function towards({ choices }: ShownDialog, wanted: number): KeyName | null {
  const at = choices.findIndex(({ marked }) => marked);
  const to = choices.findIndex(({ number }) => number === wanted);
  if (at === to) return null;
  return at < to ? 'Down' : 'Up';
}

/** Where somebody scrolls, keys would go to tmux. */
async function press(pane: Pane, keys: readonly KeySegment[]): Promise<void> {
  await pane.leaveMode();
  await pane.type(keys);
}

/** @property read whether the look saw what is asked; on a screen that is half drawn the question is the one before. */
interface Seen {
  read: boolean;
  dialog: ShownDialog | null;
}

async function lookAtDialog(parts: TerminalParts): Promise<Seen> {
  const { state, signals } = await lookNow(parts);
  return { read: dialogSight(signals) !== 'half_drawn', dialog: state.dialog };
}

/** The first look that sees what is asked, or the last of those that do not. */
async function untilRead(parts: TerminalParts): Promise<Seen> {
  const now = await lookAtDialog(parts);
  return now.read ? now : until(parts, effectMilliseconds, (_dialog, read) => read);
}

/** Looks until it has come to that, or for so long. */
async function until(
  parts: TerminalParts,
  milliseconds: number,
  come: (dialog: ShownDialog | null, read: boolean) => boolean,
): Promise<Seen & { came: boolean }> {
  const begun = parts.clock.monotonic();
  for (;;) {
    await nextSign(parts);
    const seen = await lookAtDialog(parts);
    if (come(seen.dialog, seen.read)) return { ...seen, came: true };
    if (parts.clock.monotonic() - begun >= milliseconds) return { ...seen, came: false };
  }
}
