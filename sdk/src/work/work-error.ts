import { CallError, type CallErrorFields } from '../core/call-error.js';
import type { WorkRequest, WorkTurn } from './end-of-work.js';

export interface WorkErrorFields<Id extends string = string, Code extends string = string>
  extends CallErrorFields<Id, Code> {
  requestId?: string | null;
  turnId?: string | null;
  activeTurnId?: string | null;
  done?: boolean;
  messageRef?: string | null;
}

/** A failed call that may have left work behind, with what is known of that work. */
export class WorkError<Id extends string = string, Code extends string = string> extends CallError<Id, Code> {
  override readonly name: string = 'WorkError';
  /**
   * The queued request that the failed call waited for, or that is to begin the turn which it asked for; null when there is none,
   * or its id did not arrive.
   */
  readonly requestId: string | null;
  /**
   * The turn that the failed call waited for, or the turn that shows whether the call was done ({@link outcomeUnknown}); null when
   * there is none, or its id did not arrive.
   */
  readonly turnId: string | null;
  /** The turn on which the agent works, because of which a prompt was refused; null when the server names none. */
  readonly activeTurnId: string | null;
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
    this.requestId = fields.requestId ?? fields.headers?.get('X-Houmao-Request-Id') ?? null;
    this.turnId = fields.turnId ?? fields.headers?.get('X-Houmao-Turn-Id') ?? null;
    this.activeTurnId = fields.activeTurnId ?? fields.headers?.get('X-Houmao-Active-Turn-Id') ?? null;
    const done = fields.headers?.get('X-Houmao-Done');
    this.done = fields.done ?? done === 'true';
    this.outcomeUnknown = fields.outcomeUnknown ?? done === 'unknown';
    this.messageRef = fields.messageRef ?? fields.headers?.get('X-Houmao-Message-Ref') ?? null;
  }
}

/** Returns the same error, of the same class, with changed fields. */
export function amended<Failure extends WorkError>(
  error: Failure,
  changes: Partial<WorkErrorFields>,
): Failure {
  const Same = error.constructor as new (fields: WorkErrorFields) => Failure;
  return new Same({ ...error, cause: error.cause, headers: error.headers, ...changes });
}

/** The errors of a client that asks about work, and the words in them that depend on which server it asks. */
export interface WorkErrors {
  /** The kind of server, in a word for people. */
  readonly server: 'gateway' | 'server';
  readonly Failure: new (fields: WorkErrorFields) => WorkError;
  /** Returns the error for a request that ended without an answer. */
  readonly promptFailed: (record: WorkRequest) => WorkError;
  /** Returns the error for a turn that ended without an answer. */
  readonly turnFailed: (turn: WorkTurn) => WorkError;
  /** Returns the client's name of an operation of a gateway. */
  readonly idOf: (operation: 'submitRequest' | 'getRequest' | 'controlPrompt' | 'getTurn') => string;
}

/** Rethrows an error of a call with the ids of the work that it was about. The error of work that ended has its own. */
export const named =
  ({ Failure }: Pick<WorkErrors, 'Failure'>, ids: WorkIds) =>
  (error: unknown): never => {
    throw error instanceof WorkError && error.constructor === Failure ? amended(error, ids) : error;
  };

/** The ids for further calls about the work. */
export interface WorkIds {
  readonly requestId?: string | null;
  readonly turnId?: string | null;
}
