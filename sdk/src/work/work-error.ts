import { CallError, type CallErrorFields } from '../core/call-error.js';

export interface WorkErrorFields<Id extends string = string, Code extends string = string>
  extends CallErrorFields<Id, Code> {
  requestId?: string | null;
  turnId?: string | null;
  done?: boolean;
  messageRef?: string | null;
}

/** A failed call that may have left work behind, with what is known of that work. */
export class WorkError<Id extends string = string, Code extends string = string> extends CallError<Id, Code> {
  override readonly name: string = 'WorkError';
  /** The queued request that the failed call waited for; null when there is none, or its id did not arrive. */
  readonly requestId: string | null;
  /**
   * The turn that the failed call waited for, or the turn that shows whether the call was done ({@link outcomeUnknown}); null when
   * there is none, or its id did not arrive.
   */
  readonly turnId: string | null;
  /**
   * True when the call was done, but could not be recorded or shown everywhere, as by a mailbox, or by a gateway that was ended
   * or started: do not repeat it. `detail` says what is wrong.
   */
  readonly done: boolean;
  /**
   * True when the outcome is unknown: the server said so, because it lost the program that was to do the work, or it refused a
   * call that an earlier try, whose answer was lost, may have done. Check before you repeat it, or repeat it with the
   * `idempotencyKey` if there is one.
   */
  readonly outcomeUnknown: boolean;
  /** The reference of a message that was delivered despite the error; null unless `done`, and for calls that deliver nothing. */
  readonly messageRef: string | null;

  constructor(fields: WorkErrorFields<Id, Code>) {
    super(fields);
    this.requestId = fields.requestId ?? null;
    this.turnId = fields.turnId ?? fields.headers?.get('X-Houmao-Turn-Id') ?? null;
    const done = fields.headers?.get('X-Houmao-Done');
    this.done = fields.done ?? done === 'true';
    this.outcomeUnknown = fields.outcomeUnknown ?? done === 'unknown';
    this.messageRef = fields.messageRef ?? fields.headers?.get('X-Houmao-Message-Ref') ?? null;
  }
}

/** The beginning of the message for a prompt that was accepted, and whose work ended without an answer. */
export const noAnswer = 'The prompt brought no answer';

/** Returns the same error, of the same class, with changed fields. */
export function amended<Failure extends WorkError>(
  error: Failure,
  changes: Partial<WorkErrorFields>,
): Failure {
  const Same = error.constructor as new (fields: WorkErrorFields) => Failure;
  return new Same({ ...error, cause: error.cause, ...changes });
}
