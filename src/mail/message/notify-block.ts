import { firstCodePoints } from '../../foundation/code-points.js';
import type { NotifyBlock } from './mail-message.js';
import { MailRefusal } from './mail-refusal.js';
import { fenceOf, fenceText, hasFence } from './notify-fence.js';
import { countCodePoints, isBlank, isWellFormed } from './python-text.js';

const longest = 512;

/** Code points, not UTF-16 units. A text that is too long loses its end to `…`. */
export const truncated = (text: string): string =>
  text.length <= longest || countCodePoints(text) <= longest
    ? text
    : `${firstCodePoints(text, longest - 1)}…`;

/** Built the same way from a request, a body and a file. @throws {MailRefusal} */
export function notifyBlock(
  text: string,
  placement: NotifyBlock['placement'],
  field = 'notify_block',
): NotifyBlock {
  if (text.includes('\0')) throw new MailRefusal(`${field}.text`, 'must not contain NUL');
  if (!isWellFormed(text)) throw new MailRefusal(`${field}.text`, 'must be well-formed Unicode');
  if (isBlank(text)) throw new MailRefusal(`${field}.text`, 'must not be blank');
  return { text: truncated(text), placement };
}

export interface Notified {
  body: string;
  block: NotifyBlock | null;
}

/**
 * The body and the notice of a new message. Without an explicit notice the first fence of the body is one. An explicit one
 * is shown in the body as a fence, unless a fence begins there already.
 */
export function withNotice(body: string, explicit: NotifyBlock | null): Notified {
  if (explicit === null) {
    const text = fenceText(body);
    return { body, block: text === null ? null : notifyBlock(text, 'append') };
  }
  if (hasFence(body)) return { body, block: explicit };
  const fence = fenceOf(explicit.text);
  const parts = explicit.placement === 'append' ? [body, fence] : [fence, body];
  return { body: parts.filter((part) => part !== '').join('\n\n'), block: explicit };
}
