import type { components } from '../../../generated/gateway/types.js';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { MailFault, type MailFaultCode, wrongValues } from '../../mail/message/mail-fault.js';
import { MailRefusal } from '../../mail/message/mail-refusal.js';
import { NoMailbox } from '../mail/session-mailbox.js';

/** An answer that says why nothing was done, or, by its headers, that it was done all the same. */
export interface MailNo {
  status: 422 | 502 | 503;
  body: components['schemas']['ErrorText'];
  /** What a caller must know who would do it again. */
  headers: {
    'X-Houmao-Done'?: 'true' | 'unknown';
    'X-Houmao-Message-Ref'?: string;
    'X-Houmao-Error-Code'?: 'no_mailbox' | 'mail_refused' | 'mail_not_served' | 'mailbox_failed';
  };
}

/** What the agent's transport never does is a 422; what its mailbox cannot do a 502. */
const neverDone: ReadonlySet<MailFaultCode> = new Set(['no_replies']);

/**
 * How the contract says it; null for what is no refusal, but a defect of ours (docs/decisions.md#mail-refusals). Always a
 * sentence: the walls have told of every rule that the contract can tell.
 */
export function mailNo(error: unknown): MailNo | null {
  if (error instanceof MailRefusal) return no(422, `${error.field} ${error.rule}.`, refused);
  if (error instanceof MailFault)
    return neverDone.has(error.code)
      ? no(422, error.message, refused)
      : no(502, error.message, wrongValues.has(error.code) ? refused : { ...failed, ...doneHeaders(error) });
  if (error instanceof NoMailbox) return no(422, error.message, unbound);
  if (error instanceof UnusableFile) return no(422, error.message, refused);
  return null;
}

const no = (status: MailNo['status'], detail: string, headers: MailNo['headers'] = {}): MailNo => ({
  ...{ status, body: { detail }, headers },
});

const failed = { 'X-Houmao-Error-Code': 'mailbox_failed' } as const;
const refused = { 'X-Houmao-Error-Code': 'mail_refused' } as const;
const unbound = { 'X-Houmao-Error-Code': 'no_mailbox' } as const;

function doneHeaders({ code, deliveredRef }: MailFault): MailNo['headers'] {
  if (code === 'outcome_unknown') return { 'X-Houmao-Done': 'unknown' };
  if (code !== 'state_late') return {};
  return { 'X-Houmao-Done': 'true', ...(deliveredRef !== null && { 'X-Houmao-Message-Ref': deliveredRef }) };
}
