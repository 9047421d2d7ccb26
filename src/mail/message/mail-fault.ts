/** Input that breaks a rule. Nothing was changed. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  /** The place in the input, such as `to[0].address`. */
  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`);
    this.field = field;
    this.rule = rule;
  }
}

export type MailFaultCode =
  | 'root_missing'
  | 'root_unusable'
  | 'not_registered'
  | 'owner_differs'
  | 'conflict'
  | 'mailbox_damaged'
  | 'message_unknown'
  | 'message_damaged'
  | 'message_exists'
  | 'recipient_unknown'
  | 'attachment_unusable'
  | 'attachment_unknown'
  | 'attachment_lost'
  | 'no_replies'
  | 'unsupported'
  | 'box_differs'
  | 'box_unusable'
  | 'marks_differ'
  | 'locked'
  | 'state_late'
  | 'machine'
  | 'outcome_unknown'
  | 'unreachable'
  | 'unauthorized'
  | 'server_refused';

/**
 * The mailbox cannot do an operation in its present state. The message says where and why. Nothing was changed, except with
 * `state_late`, where the operation is done, and with `outcome_unknown`, where the outcome is unknown.
 */
export class MailFault extends Error {
  override readonly name = 'MailFault';
  readonly code: MailFaultCode;
  /** With `state_late`: the message that was delivered nevertheless; null where none was to be delivered. */
  readonly deliveredRef: string | null;

  constructor(
    code: MailFaultCode,
    message: string,
    options: ErrorOptions & { deliveredRef?: string | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.deliveredRef = options.deliveredRef ?? null;
  }
}

/** The codes for a value of the call that does not fit the mailbox's content: the same call is refused again. */
export const wrongValues: ReadonlySet<MailFaultCode> = new Set([
  'recipient_unknown',
  'message_unknown',
  'attachment_unknown',
  'attachment_unusable',
  'box_differs',
  'box_unusable',
  'marks_differ',
  'no_replies',
]);

/** The codes for which a mailbox refuses a message of another host: a repeat would meet the same. Others may pass. */
export const lastingFaults: ReadonlySet<MailFaultCode> = new Set([
  'mailbox_damaged',
  'conflict',
  'owner_differs',
  'not_registered',
  'recipient_unknown',
]);
