import type { components } from '../../../generated/gateway/types.js';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import { MailRefusal } from '../../mail/message/mail-refusal.js';
import { NoMailbox } from '../mail/session-mailbox.js';
import { notImplementedText } from './not-implemented.js';

type Schemas = components['schemas'];

/** An answer that says why nothing, or not all, was done. */
export interface MailNo {
  status: 422 | 501 | 502 | 503;
  body: Schemas['ErrorText'] | Schemas['ErrorItems'];
}

/** What the agent's transport never does is a 422; what its mailbox cannot do now a 502. */
const neverDone: ReadonlySet<MailFaultCode> = new Set(['no_replies']);

/** How the contract says it; null for what is no refusal, but a defect of ours (docs/decisions.md#mail-refusals). */
export function mailNo(error: unknown, body: unknown): MailNo | null {
  if (error instanceof MailRefusal) return { status: 422, body: { detail: [item(error, body)] } };
  if (error instanceof MailFault)
    return { status: neverDone.has(error.code) ? 422 : 502, body: { detail: error.message } };
  if (error instanceof NoMailbox)
    return error.reason === 'unbound'
      ? { status: 422, body: { detail: error.message } }
      : { status: 501, body: { detail: notImplementedText('getMailStatus') } };
  if (error instanceof UnusableFile) return { status: 422, body: { detail: error.message } };
  return null;
}

function item({ field, rule }: MailRefusal, body: unknown): Schemas['ErrorItems']['detail'][number] {
  const path = field === 'Idempotency-Key' ? ['header', field] : ['body', ...stepsOf(field)];
  const input = path[0] === 'body' ? valueAt(body, path.slice(1)) : null;
  return { type: 'value_error', loc: path, msg: `Value error, ${rule}`, input, ctx: { error: {} } };
}

/** `to[0].address` as the steps `to`, 0, `address`. */
const stepsOf = (field: string): (string | number)[] =>
  field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));

function valueAt(value: unknown, steps: readonly (string | number)[]): unknown {
  const found = steps.reduce<unknown>(
    (inner, step) => (inner !== null && typeof inner === 'object' ? Reflect.get(inner, step) : undefined),
    value,
  );
  return found ?? null;
}
