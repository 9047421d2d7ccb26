import type { Reply, Sent } from '../../contract/handler-types.js';
import type { TurnRefusal } from '../turns/turn-refusal.js';

const statuses = {
  not_headless: 400,
  no_turn: 404,
  busy: 409,
  invalid: 422,
  signal_failed: 502,
  unavailable: 503,
} as const satisfies Record<TurnRefusal['refused'], number>;

/** The answer to a prompt, an interrupt or a look at a turn that came to nothing; each is a sentence. */
export const refuseTurn = <Op>(reply: Reply<Op>, { refused, detail }: TurnRefusal): Sent<Op> =>
  (reply as unknown as (status: number, body: { detail: string }) => Sent<Op>)(statuses[refused], { detail });
