import { doneHeader } from '../../contract/done-header.js';
import { errorCodeHeader } from '../../contract/error-code.js';
import type { Reply, Sent } from '../../contract/handler-types.js';
import type { TurnRefusal } from '../turns/turn-refusal.js';

const answers = {
  not_headless: { status: 400, code: 'not_headless' },
  no_turn: { status: 404, code: 'unknown_turn' },
  busy: { status: 409, code: 'agent_busy' },
  other_turn: { status: 412, code: 'turn_not_running' },
  invalid: { status: 422, code: 'request_refused' },
  key_reused: { status: 422, code: 'key_reused' },
  signal_failed: { status: 502, code: 'signal_failed' },
  unavailable: { status: 503, code: 'unavailable' },
} as const satisfies Record<TurnRefusal['refused'], { status: number; code: string }>;

/** The answer to a prompt, an interrupt or a look at a turn that came to nothing, or may have; each is a sentence. */
export function refuseTurn<Op>(reply: Reply<Op>, { refused, detail, unknown }: TurnRefusal): Sent<Op> {
  const { status, code } = answers[refused];
  const headers = {
    [errorCodeHeader]: code,
    ...(unknown && { [doneHeader]: 'unknown' }),
    ...(unknown && unknown.turnId !== null && { 'X-Houmao-Turn-Id': unknown.turnId }),
  };
  return (reply as unknown as CodedReply<Op>)(status, { detail }, headers);
}

type CodedReply<Op> = (status: number, body: { detail: string }, headers: Record<string, string>) => Sent<Op>;
