import { saysAddressTaken } from '../../foundation/listening.js';

/** A gateway could not be attached or detached; the message is a sentence for callers. */
export class AttachFault extends Error {
  override readonly name = 'AttachFault';
  readonly reason: AttachReason;

  constructor(reason: AttachReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** `no_session_root`: it can have no gateway at all. `conflict`: something else holds the address or the session. */
export type AttachReason = 'no_session_root' | 'conflict' | 'unavailable';

/** What a gateway says that could not start, because something else has what it needs. */
export const isConflict = (said: string): boolean =>
  saysAddressTaken(said) || /reconciliation|another gateway serves|runs the turns/i.test(said);
