import type { EndCode } from './end-code.js';
import { unknownState } from './unknown-state.js';

/** The fields of a turn that show how it ended. */
interface EndedTurn<Code extends string> {
  readonly turn_id: string;
  readonly state: string;
  readonly outcome: EndCode | null;
  readonly error: { readonly code: Code; readonly detail: string } | null;
}

/** The reason why work brought no answer. */
export interface End<Code extends string> {
  readonly errorCode: Code | EndCode;
  readonly detail: string;
}

/** Returns the reason why a turn brought no answer: its own error, the way it ended, or its unknown state. */
export function endOfTurn<Code extends string>({
  state,
  turn_id,
  outcome,
  error,
}: EndedTurn<Code>): End<Code> {
  if (state !== 'ended') return unknownState('Turn', turn_id, state);
  const end = outcome ?? 'ended';
  return { errorCode: error?.code ?? end, detail: error?.detail ?? `Turn ${turn_id} ended as ${end}.` };
}
