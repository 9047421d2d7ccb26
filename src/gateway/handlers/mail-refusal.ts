import type { components } from '../../../generated/gateway/types.js';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import { MailRefusal } from '../../mail/message/mail-refusal.js';
import { NoMailbox } from '../mail/session-mailbox.js';
import { notImplementedText } from './not-implemented.js';

/** An answer that says why nothing, or not all, was done. */
export interface MailNo {
  status: 422 | 501 | 502 | 503;
  body: components['schemas']['ErrorText'];
}

/** What the agent's transport never does is a 422; what its mailbox cannot do now a 502. */
const neverDone: ReadonlySet<MailFaultCode> = new Set(['no_replies']);

/**
 * How the contract says it; null for what is no refusal, but a defect of ours (docs/decisions.md#mail-refusals). Always a
 * sentence: the walls have told of every rule that the contract can tell.
 */
export function mailNo(error: unknown): MailNo | null {
  if (error instanceof MailRefusal) return { status: 422, body: { detail: `${error.field} ${error.rule}.` } };
  if (error instanceof MailFault)
    return { status: neverDone.has(error.code) ? 422 : 502, body: { detail: error.message } };
  if (error instanceof NoMailbox)
    return error.reason === 'unbound'
      ? { status: 422, body: { detail: error.message } }
      : { status: 501, body: { detail: notImplementedText('getMailStatus') } };
  if (error instanceof UnusableFile) return { status: 422, body: { detail: error.message } };
  return null;
}
