import type { Schemas } from '@houmao/sdk';
import type { TimeWords } from './local-time.js';
import { askedOfPerson } from './obstacle-words.js';

type TerminalState = Schemas['TerminalState'];

/** A terminal for people: in a sentence what it does, then what stands on it. */
export function screenWords(state: TerminalState, time: TimeWords): string[] {
  return [doing(state), ...lastTurn(state, time), '', ...shownText(state)];
}

function doing(state: TerminalState): string {
  const { diagnostics, turn, surface, tracked_session: session } = state;
  const where = `tmux session ${session.tmux_session_name}`;
  switch (diagnostics.availability) {
    case 'unavailable':
      return `The terminal is gone: there is no ${where}.`;
    case 'tui_down':
      return `${session.tool} does not run in its terminal any more (${where}).`;
    case 'error':
      return `The terminal cannot be read: ${(diagnostics.probe_error ?? diagnostics.parse_error)?.message ?? 'it is not known why'}.`;
    case 'unknown':
      return 'What the terminal shows is not understood.';
    case 'available':
  }
  if (askedOfPerson(state) !== null) return 'Waiting for a person to answer.';
  if (turn.phase === 'active') return 'Working.';
  if (surface.editing_input === 'yes') return 'Ready, and a draft stands in its composer.';
  return turn.phase === 'ready' ? 'Ready for a prompt.' : 'Not known whether it is ready.';
}

function lastTurn({ last_turn: { result, updated_at_utc: at } }: TerminalState, time: TimeWords): string[] {
  const words = {
    success: 'was completed',
    interrupted: 'was interrupted',
    known_failure: 'failed',
    none: null,
  };
  return words[result] === null
    ? []
    : [`The last turn ${words[result]} ${at === null ? '' : `: ${time(at)}`}.`];
}

const shownText = ({ parsed_surface: screen }: TerminalState): string[] =>
  (screen?.normalized_projection_text ?? '')
    .split('\n')
    .filter((row, index, all) => row !== '' || all[index - 1] !== '');
