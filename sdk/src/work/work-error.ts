import { CallError, type CallErrorFields } from '../core/call-error.js';

export interface WorkErrorFields<Id extends string = string, Code extends string = string>
  extends CallErrorFields<Id, Code> {
  requestId?: string | null;
  turnId?: string | null;
  done?: boolean;
  messageRef?: string | null;
}

/** Every failure of a call that may have left work behind: what is known of that work. */
export class WorkError<Id extends string = string, Code extends string = string> extends CallError<Id, Code> {
  override readonly name: string = 'WorkError';
  /** The queued request that the failed call waited for; null when there is none, or its id did not arrive. */
  readonly requestId: string | null;
  /**
   * The turn that the failed call waited for, or that tells what became of it ({@link mayBeDone}); null when there is none, or
   * its id did not arrive.
   */
  readonly turnId: string | null;
  /**
   * True when what was asked for is done, and could not be noted or shown everywhere, as by a mailbox, or by a gateway that was
   * ended or started: do not do it anew. `detail` says what is wrong.
   */
  readonly done: boolean;
  /**
   * True when nobody knows whether it is done: the server said so, as who was to do it was lost, or it refused what an earlier
   * try, whose answer was lost, may have done. Look before you do it again, or ask again with the `idempotencyKey` where there
   * is one.
   */
  readonly mayBeDone: boolean;
  /** The reference of a message that was delivered all the same; null unless `done`, and for what delivers nothing. */
  readonly messageRef: string | null;

  constructor(fields: WorkErrorFields<Id, Code>) {
    super(fields);
    this.requestId = fields.requestId ?? null;
    this.turnId = fields.turnId ?? fields.headers?.get('X-Houmao-Turn-Id') ?? null;
    const done = fields.headers?.get('X-Houmao-Done');
    this.done = fields.done ?? done === 'true';
    this.mayBeDone = fields.mayBeDone ?? done === 'unknown';
    this.messageRef = fields.messageRef ?? fields.headers?.get('X-Houmao-Message-Ref') ?? null;
  }
}

/** How the message begins of a prompt that was taken, and whose work ended without an answer. */
export const noAnswer = 'The prompt brought no answer';

/** The same error, of the same class, with more said about it. */
export function amended<Failure extends WorkError>(
  error: Failure,
  changes: Partial<WorkErrorFields>,
): Failure {
  const Same = error.constructor as new (fields: WorkErrorFields) => Failure;
  return new Same({ ...error, cause: error.cause, ...changes });
}
