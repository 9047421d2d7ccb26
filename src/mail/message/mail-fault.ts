/** Input that breaks a rule. Nothing was changed. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  /** Where in the input, such as `to[0].address`. */
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
 * What the mailbox cannot do as it is now. The message says where and why; nothing was changed, but for `state_late`, where it is
 * done, and `outcome_unknown`, where nobody knows.
 */
export class MailFault extends Error {
  override readonly name = 'MailFault';
  readonly code: MailFaultCode;
  /** With `state_late`, of the message that was delivered all the same; null where none was to be. */
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

/** A value of the call does not fit what is there: the same call is refused again. */
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
