import { firstCodePoints } from '../../foundation/text.js';
import { MailRefusal } from './mail-fault.js';
import type { NotifyAuth, NotifyBlock } from './mail-message.js';
import { countCodePoints, isBlank, isWellFormed, splitLines, strip, stripEnd } from './mail-text.js';

const longest = 512;

/** Cuts a text by code points, not by UTF-16 units. A text that is too long ends in `…`. */
export const truncated = (text: string): string =>
  text.length <= longest || countCodePoints(text) <= longest
    ? text
    : `${firstCodePoints(text, longest - 1)}…`;

/** Makes a notice, by the same rules from a request, a body and a file. @throws {MailRefusal} */
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
 * Returns the body and the notice of a new message. Without an explicit notice, the first fence of the body is the notice. An
 * explicit notice is shown in the body as a fence, unless a fence begins there already.
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

const ticks = '```';
const info = 'houmao-notify';

/** Other kinds of fences are not recognised: an opening line inside one counts. */
const opens = (line: string): boolean => line.startsWith(ticks) && strip(line.slice(ticks.length)) === info;
const closes = (line: string): boolean => stripEnd(line) === ticks;

/** Returns the text of the first fence that is closed and not empty (docs/decisions.md#notify-fences). */
export function fenceText(body: string): string | null {
  const lines = splitLines(body);
  for (let start = lines.findIndex(opens); start !== -1; start = nextAfter(lines, start, opens)) {
    const end = nextAfter(lines, start, closes);
    if (end === -1) return null;
    const text = strip(lines.slice(start + 1, end).join('\n'));
    if (text !== '') return text;
    start = end;
  }
  return null;
}

function nextAfter(lines: readonly string[], after: number, is: (line: string) => boolean): number {
  for (let at = after + 1; at < lines.length; at += 1) if (is(lines[at] ?? '')) return at;
  return -1;
}

/** Decides whether a fence begins in the body, even an empty one or one that is never closed. */
export const hasFence = (body: string): boolean => splitLines(body).some(opens);

/**
 * Writes a fence with a text in it. A line that would close the fence gets a blank in front: nothing else keeps a reader from
 * taking the lines after it for the body (docs/decisions.md#notify-fences).
 */
export function fenceOf(text: string): string {
  const kept = splitLines(text).some(closes)
    ? splitLines(text).map((line) => (closes(line) ? ` ${line}` : line))
    : [text];
  return [ticks + info, ...kept, ticks].join('\n');
}

export const authSchemes = ['none', 'shared-token', 'hmac-sha256', 'jws'] as const;

export interface NotifyAuthInput extends Omit<NotifyAuth, 'scheme'> {
  scheme: (typeof authSchemes)[number];
}

/**
 * Checks the authentication of a notice. A token may come without a scheme: a receiver may compare it nevertheless.
 * @throws {MailRefusal}
 */
export function notifyAuth(input: NotifyAuthInput, field = 'notify_auth'): NotifyAuth {
  if (input.scheme !== 'none')
    throw new MailRefusal(`${field}.scheme`, `${input.scheme}: verifier not yet supported`);
  const text = (key: 'token' | 'iss' | 'iat' | 'exp'): string | null => {
    const value = input[key];
    if (value !== null && isBlank(value)) throw new MailRefusal(`${field}.${key}`, 'must not be blank');
    return value === null ? null : strip(value);
  };
  return { scheme: 'none', token: text('token'), iss: text('iss'), iat: text('iat'), exp: text('exp') };
}
