// The next step for a prompt that was pasted into a terminal:
//
//   pasted ──our text is in the composer──▶ Enter ──▶ entered ──taken──▶ confirmed
//      │                                                 │
//      │                                                 ├──our text is still there─────▶ Enter once more, then clearing
//      │                                                 ├──it was put back there───────▶ clearing
//      │                                                 └──no sign for too long────────▶ unconfirmed
//      ├──nothing arrives, a dialog opens, the tool ends──▶ clearing or failed
//      └──the agent has taken it already──▶ confirmed
//   clearing ──the composer is empty──▶ failed            clearing ──it cannot be emptied──▶ failed, stranded
//
// Enter is pressed only on our own text and never while a dialog is open: it would choose from it. While a person scrolls, no key
// reaches the tool, so scrolling is ended first. "Taken" is reported by the agent itself or, if it does not report on itself,
// read from its screen. No step is taken twice for one check.

/** The result of one check of the terminal. */
export interface DeliveryCheck {
  /** Milliseconds of a monotonic clock. */
  at: number;
  /** Why nothing can be typed, for people: the pane is dead, the tool has ended; null if typing is possible. */
  lost: string | null;
  /** A person scrolls in the pane: keys would not reach the tool. */
  scrolled: boolean;
  /** The kind of the open dialog. */
  dialog: string | null;
  /** The content of the composer: nothing, our text or the tool's placeholder for it, text of someone else, or not recognized. */
  composer: 'empty' | 'ours' | 'foreign' | 'unknown';
  /** The screen shows the agent at work. */
  working: boolean;
  /** Our text is in the transcript once more than before. */
  echoed: boolean;
  /** The agent's own report that it took exactly this prompt; null while there is none. */
  taken: string | null;
  /** The agent itself reported that it put exactly this prompt back. */
  refused: boolean;
}

/** The waiting times, in milliseconds. */
export interface SubmissionTimeouts {
  /** Between the paste and Enter, at least: Gemini CLI loses an Enter that comes within 50 ms. */
  settle: number;
  /** For the text to appear in the composer. */
  appear: number;
  /** After Enter, before the screen counts: the agent's own report comes later than its screen, and is more reliable. */
  screen: number;
  /** For a sign after an Enter without a visible effect, before it is pressed again. */
  again: number;
  /** For any sign after the last Enter. */
  sign: number;
  /** For the composer to become empty. */
  clear: number;
  /** For all steps together, whatever the terminal shows. */
  whole: number;
}

export const usualTimeouts: SubmissionTimeouts = {
  settle: 100,
  appear: 2000,
  screen: 1500,
  again: 1000,
  sign: 3000,
  clear: 2000,
  whole: 12_000,
};

export interface TypedPrompt {
  step: 'pasted' | 'entered' | 'clearing';
  begun: number;
  /** The time at which this step began. */
  since: number;
  enters: number;
  /** How long the text took to appear, in milliseconds: the effect of Enter may appear as late. */
  late: number;
  /** The text left the composer after Enter; if it is there again, it was put back. */
  left: boolean;
  /** Why the composer is being cleared; null in other steps. */
  because: string | null;
  /** Keys that clear were pressed. */
  cleared: boolean;
}

export type NextStep =
  | { do: 'check' }
  | { do: 'press_enter' }
  /** Ends the scrolling of a person: before that no key reaches the tool. */
  | { do: 'leave_mode' }
  /** Takes our text out of the composer again. */
  | { do: 'clear' }
  | { do: 'end'; delivery: 'confirmed'; evidence: string }
  | { do: 'end'; delivery: 'unconfirmed'; evidence: string }
  /** @property stranded our text may still be in the composer, or appear there later. */
  | { do: 'end'; delivery: 'failed'; evidence: string; stranded: boolean };

export interface Decision {
  submission: TypedPrompt;
  next: NextStep;
}

export const justPasted = (at: number): TypedPrompt => ({
  step: 'pasted',
  begun: at,
  since: at,
  enters: 0,
  late: 0,
  left: false,
  because: null,
  cleared: false,
});

const mostEnters = 2;
const foreignText = 'other text is in the composer';
const leftComposer = 'the composer emptied';
const seenInTranscript = `${leftComposer} and the prompt is in the transcript`;
const asks = (dialog: string): string => `the agent asks for an answer (${dialog})`;

/** Pure: chooses the step after one check. */
export function decide(
  submission: TypedPrompt,
  check: DeliveryCheck,
  timeouts: SubmissionTimeouts,
): Decision {
  if (check.taken !== null) return end(submission, 'confirmed', check.taken);
  if (check.at - submission.begun >= timeouts.whole) return outOfTime(submission);
  const waited = check.at - submission.since;
  switch (submission.step) {
    case 'pasted':
      return afterPaste(submission, check, waited, timeouts);
    case 'entered':
      return afterEnter(submission, check, waited, timeouts);
    case 'clearing':
      return whileClearing(submission, check, waited, timeouts);
  }
}

function afterPaste(
  submission: TypedPrompt,
  check: DeliveryCheck,
  waited: number,
  timeouts: SubmissionTimeouts,
): Decision {
  if (check.lost !== null) return failed(submission, check.lost, true);
  if (check.dialog !== null) return clear(submission, check, `a ${check.dialog} dialog opened before Enter`);
  if (waited < timeouts.settle) return checkAgain(submission);
  if (check.scrolled && waited < timeouts.appear) return leaveMode(submission);
  if (check.composer === 'ours' && !check.scrolled)
    return enter({ ...submission, late: waited - timeouts.settle }, check);
  // A tool that was captured while it draws shows a part of the text: the text counts as foreign only if it stays.
  if (waited < timeouts.appear) return checkAgain(submission);
  if (check.composer === 'foreign') return failed(submission, foreignText, true);
  return check.composer === 'empty'
    ? failed(submission, 'the text never appeared in the composer', true)
    : clear(
        submission,
        check,
        check.scrolled ? 'somebody is scrolling in the terminal' : 'the composer could not be read',
      );
}

function afterEnter(
  before: TypedPrompt,
  check: DeliveryCheck,
  waited: number,
  timeouts: SubmissionTimeouts,
): Decision {
  const submission = { ...before, left: before.left || check.composer === 'empty' };
  // Whether the tool had taken the prompt before it ended is unknown: its own files would have reported it.
  if (check.lost !== null) return end(submission, 'unconfirmed', `after Enter, ${check.lost}`);
  const stands = check.composer === 'ours';
  if (check.composer === 'empty' && waited >= timeouts.screen && (check.working || check.echoed))
    return end(
      submission,
      'confirmed',
      check.working ? 'the composer emptied and the screen shows the agent at work' : seenInTranscript,
    );
  // A dialog hides the composer: the agent asks about a prompt that is in the transcript, or was seen to leave the composer.
  if (!stands && check.dialog !== null && waited >= timeouts.screen && (check.echoed || submission.left))
    return end(
      submission,
      'confirmed',
      `${check.echoed ? 'the prompt is in the transcript' : leftComposer}, and ${asks(check.dialog)}`,
    );
  if (stands && check.dialog !== null)
    return clear(submission, check, `a ${check.dialog} dialog opened, and the text is still in the composer`);
  if (stands && (submission.left || check.refused))
    return clear(submission, check, 'the text was put back into the composer');
  if (check.scrolled && waited >= timeouts.again && waited < timeouts.sign) return leaveMode(submission);
  if (stands && waited >= timeouts.again + submission.late && !check.working)
    return submission.enters < mostEnters && !check.scrolled
      ? enter(submission, check)
      : clear(submission, check, `Enter was pressed ${timesOf(submission.enters)} and not taken`);
  if (waited < timeouts.sign + submission.late) return checkAgain(submission);
  if (stands)
    return clear(submission, check, `Enter was pressed ${timesOf(submission.enters)} and not taken`);
  const instead = check.composer === 'foreign' ? `${foreignText} now` : 'the text left the composer';
  return end(submission, 'unconfirmed', `${instead}, and nothing shows that the agent took the prompt`);
}

function whileClearing(
  submission: TypedPrompt,
  check: DeliveryCheck,
  waited: number,
  timeouts: SubmissionTimeouts,
): Decision {
  const because = submission.because ?? '';
  // The composer emptied by itself: the last Enter was only slow.
  if (check.composer === 'empty' && submission.enters > 0 && !submission.cleared)
    return checkAgain({ ...submission, step: 'entered', since: check.at, because: null });
  if (check.composer === 'empty' && check.dialog === null) return whenCleared(submission, check, because);
  if (check.lost !== null || waited >= timeouts.clear + submission.late)
    return failed(submission, because, true);
  if (check.scrolled) return leaveMode(submission);
  // A dialog would take the clearing keys.
  const canClear = check.composer === 'ours' && check.dialog === null;
  return canClear
    ? { submission: { ...submission, cleared: true }, next: { do: 'clear' } }
    : checkAgain(submission);
}

/** Decides the delivery after the text was taken out: an earlier Enter may have had a late effect before. */
function whenCleared(submission: TypedPrompt, check: DeliveryCheck, because: string): Decision {
  if (submission.enters === 0 || check.refused) return failed(submission, because, false);
  if (check.echoed) return end(submission, 'confirmed', seenInTranscript);
  if (submission.left) return end(submission, 'unconfirmed', because);
  return check.working
    ? end(submission, 'unconfirmed', `${because}; then the agent began to work while the text was taken out`)
    : failed(submission, because, false);
}

const outOfTime = (submission: TypedPrompt): Decision =>
  submission.enters > 0
    ? end(submission, 'unconfirmed', 'the screen kept changing after Enter')
    : failed(submission, submission.because ?? 'the screen kept changing', true);

const checkAgain = (submission: TypedPrompt): Decision => ({ submission, next: { do: 'check' } });
const leaveMode = (submission: TypedPrompt): Decision => ({ submission, next: { do: 'leave_mode' } });

const enter = (submission: TypedPrompt, { at }: DeliveryCheck): Decision => ({
  submission: { ...submission, step: 'entered', since: at, enters: submission.enters + 1 },
  next: { do: 'press_enter' },
});

const clear = (submission: TypedPrompt, check: DeliveryCheck, because: string): Decision => ({
  submission: { ...submission, step: 'clearing', since: check.at, because },
  next: { do: 'check' },
});

const end = (submission: TypedPrompt, delivery: 'confirmed' | 'unconfirmed', evidence: string): Decision => ({
  submission,
  next: { do: 'end', delivery, evidence },
});

const failed = (submission: TypedPrompt, evidence: string, stranded: boolean): Decision => ({
  submission,
  next: { do: 'end', delivery: 'failed', evidence, stranded },
});

const timesOf = (count: number): string => (count === 1 ? 'once' : `${count} times`);
