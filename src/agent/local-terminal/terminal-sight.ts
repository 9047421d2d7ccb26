import { composerContent, shownText } from '../../terminal/composer-content.js';
import type { PaneStatus } from '../../terminal/pane.js';
import type { DeliveryCheck, TypedPrompt } from '../../terminal/submission.js';
import { screenFactsOf } from '../../terminal/tracker/sight.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';

/** The result of one check of a terminal. */
export interface TerminalCheck {
  state: TerminalState;
  signals: FrameSignals | null;
  /** Null if tmux did not answer. */
  pane: PaneStatus | null;
  paneId: string | null;
  /** The tool's process; null if none runs. */
  toolPid: number | null;
}

/** A prompt that is being delivered to a terminal. */
export interface OnItsWay {
  /** The pasted text. */
  text: string;
  paneId: string;
  /** The process it is meant for; null if another gateway began the delivery. */
  toolPid: number | null;
  /** How often its opening was in the transcript before. */
  echoesBefore: number;
}

/** Converts a check into the input of `decide`. */
export function deliveryCheck(
  looked: TerminalCheck,
  prompt: OnItsWay & Partial<Pick<TypedPrompt, 'cleared'>>,
  at: number,
  { taken, refused }: Pick<DeliveryCheck, 'taken' | 'refused'>,
): DeliveryCheck {
  const { signals } = looked;
  return {
    at,
    lost: lostBecause(looked, prompt),
    scrolled: looked.pane?.inMode ?? false,
    dialog: signals?.dialog?.kind ?? null,
    composer: signals
      ? composerContent(signals, prompt.text, { cleared: prompt.cleared ?? false })
      : 'unknown',
    working: signals !== null && screenFactsOf(signals).active,
    echoed: echoesOf(prompt.text, looked.state) > prompt.echoesBefore,
    taken,
    refused,
  };
}

/** Returns why typed keys do not reach the tool any more; null if they may, or if that is unknown. */
function lostBecause({ state, pane, paneId, toolPid }: TerminalCheck, prompt: OnItsWay): string | null {
  const { transport, availability } = state.diagnostics;
  if (transport === 'tmux_missing') return 'the tmux session is gone';
  if (pane?.dead) return 'the pane is dead';
  if (availability === 'tui_down') return 'the tool has ended';
  if (paneId !== null && paneId !== prompt.paneId) return 'its pane is gone';
  const another = toolPid !== null && prompt.toolPid !== null && toolPid !== prompt.toolPid;
  return another ? 'the tool was restarted' : null;
}

/** The length of the opening of a text, which is enough: a long prompt is cut, folded and wrapped on the screen. */
const openingCharacters = 48;

/**
 * Counts how often a text is in the transcript, by its opening: rows that begin with it, behind the sign of the tool or the frame
 * of its box. In the middle of a row it may be part of a message about it, such as `Unrecognized command '/help'`.
 */
export function echoesOf(text: string, { parsed }: TerminalState): number {
  const opening = shownText(text).slice(0, openingCharacters);
  if (parsed === null || opening === '') return 0;
  const rows = parsed.text.conversation.split('\n');
  return rows.filter((row, index) =>
    [row, row.replace(promptSign, '')].some((begun) => beginsWith(opening, begun, rows.slice(index + 1))),
  ).length;
}

const promptSign = /^[\s│┃▌]*[›❯>]?/;

/** Compares without blanks, across rows: rows wrap anywhere. */
function beginsWith(opening: string, begun: string, rest: readonly string[]): boolean {
  let shown = shownText(begun);
  for (const row of rest) {
    if (shown === '' || shown.length >= opening.length || !opening.startsWith(shown)) break;
    shown += shownText(row);
  }
  return shown.startsWith(opening);
}
