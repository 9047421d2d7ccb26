import type { Pane } from '../../terminal/pane.js';
import type { KeyName, KeySegment } from '../../terminal/terminal-input.js';
import { dialogSight, type ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { DialogAnswer, DialogOutcome } from '../target/agent-terminal.js';
import { checkTerminal, nextSign, type TerminalParts, typePaced } from './terminal-check.js';

/** The time limit for a key to show its effect on the screen. */
const effectMilliseconds = 1500;
/** The time limit for the question to leave the screen after it was answered. */
const goneMilliseconds = 3000;

// The steps of a choice:
//
//   asked ──the mark is elsewhere──▶ moving ──the mark is on the choice──▶ marked ──Enter──▶ gone, or still there
//
// Each step begins with a check that sees the question: if there is another one, or none, or the screen stays half drawn, no
// further key is pressed. Numbers are not pressed: some tools choose at the first digit, others wait for more of them.

/**
 * Answers the question with this id, and nothing else.
 * @throws {TmuxFault} keys that were typed before stay typed.
 */
export async function answerDialog(
  parts: TerminalParts,
  id: string,
  answer: DialogAnswer,
): Promise<DialogOutcome> {
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

/** Pure: decides whether the dialog has that choice, and shows which one is marked. */
const canBeChosen = ({ choices }: ShownDialog, number: number): boolean =>
  choices.some((choice) => choice.number === number) && choices.some(({ marked }) => marked);

type Marking = { outcome: 'marked' } | Extract<DialogOutcome, { outcome: 'another' | 'unread' | 'unmoved' }>;

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

/** Pure: returns the key that moves the mark towards a choice; null if the mark is on it. */
function towards({ choices }: ShownDialog, wanted: number): KeyName | null {
  const at = choices.findIndex(({ marked }) => marked);
  const to = choices.findIndex(({ number }) => number === wanted);
  if (at === to) return null;
  return at < to ? 'Down' : 'Up';
}

/** Ends scrolling first: otherwise the keys would go to tmux. */
async function press(pane: Pane, keys: readonly KeySegment[]): Promise<void> {
  await pane.leaveMode();
  await pane.type(keys);
}

/** @property read whether the question could be read; on a half drawn screen `dialog` is the earlier one. */
interface Seen {
  read: boolean;
  dialog: ShownDialog | null;
}

async function checkDialog(parts: TerminalParts): Promise<Seen> {
  const { state, signals } = await checkTerminal(parts);
  return { read: dialogSight(signals) !== 'half_drawn', dialog: state.dialog };
}

/** Returns the first check in which the question can be read, or the last one before the time limit. */
async function untilRead(parts: TerminalParts): Promise<Seen> {
  const now = await checkDialog(parts);
  return now.read ? now : until(parts, effectMilliseconds, (_dialog, read) => read);
}

/** Checks until the condition is met, or for `milliseconds`. */
async function until(
  parts: TerminalParts,
  milliseconds: number,
  come: (dialog: ShownDialog | null, read: boolean) => boolean,
): Promise<Seen & { came: boolean }> {
  const begun = parts.clock.monotonic();
  for (;;) {
    await nextSign(parts);
    const seen = await checkDialog(parts);
    if (come(seen.dialog, seen.read)) return { ...seen, came: true };
    if (parts.clock.monotonic() - begun >= milliseconds) return { ...seen, came: false };
  }
}
