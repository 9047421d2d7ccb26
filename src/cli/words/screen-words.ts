import type { Schemas } from '@houmao/sdk';
import { askedOfPerson, toolEnded } from '../../contract/agent-standing.js';
import { wordsIn } from '../../foundation/text.js';
import type { TimeWords } from './local-time.js';

type TerminalState = Schemas['TerminalState'];

/** Prints a terminal for people: a sentence about its state, then the text on it. */
export function screenWords(state: TerminalState, time: TimeWords, width: number | null): string[] {
  return [
    doing(state),
    ...lastTurn(state, time),
    '',
    ...shownText(state).map((row) => fittedRow(row, width)),
  ];
}

/** Prints a question on an agent's screen, indented below the sentence that introduces it. */
export const questionRows = (asked: string, width: number | null): string[] =>
  asked.split('\n').map((row) => fittedRow(`  ${row}`.trimEnd(), width));

/**
 * Fits a row of an agent's screen into a narrower window: rules and runs of blanks are shortened, words never are.
 *
 * @param width columns of the window; null leaves the row as it is
 */
export function fittedRow(row: string, width: number | null): string {
  let fitted = row;
  while (width !== null && fitted.length > width) {
    const runs = [...fitted.matchAll(/([ \u2500-\u259f])\1+/g)];
    const longest = runs.sort(([one], [other]) => other.length - one.length)[0];
    if (longest === undefined) break;
    const left = Math.max(1, longest[0].length - (fitted.length - width));
    fitted = fitted.slice(0, longest.index + left) + fitted.slice(longest.index + longest[0].length);
  }
  return fitted;
}

function doing(state: TerminalState): string {
  const { diagnostics, turn, surface, tracked_session: session } = state;
  const where = `tmux session ${session.tmux_session_name}`;
  switch (diagnostics.availability) {
    case 'unavailable':
      return `The terminal is gone: there is no ${where}.`;
    case 'tui_down':
      return `${session.tool} does not run in its terminal${toolEnded(state) ? ' any more' : ''} (${where}).`;
    case 'error':
      return `The terminal cannot be read: ${(diagnostics.probe_error ?? diagnostics.parse_error)?.message ?? 'it is not known why'}.`;
    case 'unknown':
      return 'The screen of the terminal was not recognised.';
    case 'available':
  }
  if (askedOfPerson(state) !== null) return 'Waiting for a person to answer.';
  if (turn.phase === 'active') return 'Working.';
  if (surface.editing_input === 'yes') return 'Ready, with an unsent draft in its composer.';
  return turn.phase === 'ready' ? 'Ready for a prompt.' : 'Whether it is ready is not known.';
}

function lastTurn({ last_turn: { result, updated_at_utc: at } }: TerminalState, time: TimeWords): string[] {
  if (result === 'none') return [];
  const words = { success: 'was completed', interrupted: 'was interrupted', known_failure: 'failed' };
  return [`The last turn ${wordsIn(words, result)}${at === null ? '' : `: ${time(at)}`}.`];
}

const shownText = ({ parsed_surface: screen }: TerminalState): string[] =>
  (screen?.normalized_projection_text ?? '')
    .split('\n')
    .filter((row, index, all) => row !== '' || all[index - 1] !== '');
