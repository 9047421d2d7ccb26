import { unknownState } from './unknown-state.js';

/** What of a turn says how it ended. */
interface EndedTurn {
  readonly turn_id: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** Why a turn brought no answer: its own error, how it ended, or that its state is not known here. */
export function endOfTurn({ state, turn_id, outcome, error }: EndedTurn) {
  if (state !== 'ended') return unknownState('Turn', turn_id, state);
  const end = outcome ?? state;
  return { errorCode: error?.code ?? end, detail: error?.detail ?? `Turn ${turn_id} ended as ${end}.` };
}
