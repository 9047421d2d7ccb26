import type { components } from '../generated/gateway/types/client.js';

export type WorkRequest = components['schemas']['RequestRecord'];
export type WorkTurn = components['schemas']['TurnRecord'];
type RecordErrorCode = components['schemas']['RecordErrorCode'];

/**
 * The way a request or a turn ended, if it names no reason; `unknown_state`: this version does not know whether the state is an
 * end.
 */
export type EndCode =
  | 'completed'
  | 'failed'
  | 'coalesced'
  | 'cancelled'
  | 'interrupted'
  | 'replaced'
  | 'ended'
  | 'unknown_state';

/** The reason why work brought no answer. */
export interface End {
  readonly errorCode: RecordErrorCode | EndCode;
  readonly detail: string;
}

/** The beginning of the message for a prompt that was accepted, and whose work ended without an answer. */
export const noAnswer = 'The prompt brought no answer';

/** Returns the reason why a turn brought no answer: its own error, the way it ended, or its unknown state. */
export function endOfTurn({ state, turn_id, outcome, error }: WorkTurn): End {
  if (state !== 'ended') return unknownState('Turn', turn_id, state);
  const end = outcome ?? 'ended';
  return { errorCode: error?.code ?? end, detail: error?.detail ?? `Turn ${turn_id} ended as ${end}.` };
}

/** Returns the reason why a request brought no answer: its own error or its turn's, the way it ended, or an unknown state. */
export function endOfRequest({ error, state, request_id, turn }: WorkRequest): End {
  if (!isRequestEnd(state)) return unknownState('Request', request_id, state);
  if (state === 'completed' && turn && turn.state !== 'ended')
    return unknownState('Turn', turn.turn_id, turn.state);
  const reason = error ?? turn?.error;
  const end = state === 'completed' ? (turn?.outcome ?? state) : state;
  const subject = state === 'completed' && turn ? `Turn ${turn.turn_id} of request` : 'Request';
  return {
    errorCode: reason?.code ?? end,
    detail: reason?.detail ?? `${subject} ${request_id} ended as ${end}.`,
  };
}

type RequestEnd = EndCode & ('completed' | 'failed' | 'coalesced' | 'cancelled');

/** The final states of a request; a state of a newer server is none. */
const requestEnds: readonly string[] = [
  'completed',
  'failed',
  'coalesced',
  'cancelled',
] satisfies RequestEnd[];

const isRequestEnd = (state: string): state is RequestEnd => requestEnds.includes(state);

/**
 * Returns the reason why work in an unknown state of a newer server is not awaited: this version does not know whether the
 * state is an end.
 */
const unknownState = (subject: 'Request' | 'Turn', id: string, state: string): End => ({
  errorCode: 'unknown_state',
  detail: `${subject} ${id} is in the state \`${state}\`, which this version of the SDK does not know.`,
});
