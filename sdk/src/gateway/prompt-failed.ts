import { isRequestEnd } from '../work/end-of-request.js';
import type { End } from '../work/end-of-turn.js';
import { unknownState } from '../work/unknown-state.js';
import { noAnswer } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';

/**
 * Thrown when a prompt was queued, but its turn brought no answer: it failed, was interrupted or was cancelled. `errorCode` and
 * `detail` are those of `record.error`, or of `record.turn` if the request was completed before its turn ended, as it is for
 * agents in terminals; `status` is null, because no HTTP answer refused anything. The `errorCode` `unknown_state` means that a
 * newer gateway gave the request a state that this version does not know.
 */
export class PromptFailed extends GatewayError {
  override readonly name: string = 'PromptFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: Why['errorCode'];
  /** The request at its end, with its turn. */
  readonly record: Schemas['RequestRecord'];

  constructor(record: Schemas['RequestRecord']) {
    const requestId = record.request_id;
    super({ status: null, operationId: 'submitRequest', requestId, what: noAnswer, ...reasonOf(record) });
    this.record = record;
  }
}

type Why = End<Schemas['RecordErrorCode']>;

function reasonOf({ error, state, request_id, turn }: Schemas['RequestRecord']): Why {
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
