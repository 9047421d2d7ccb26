import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MailRefusal } from '../../message/mail-fault.js';
import type { NotifyAuth, NotifyBlock } from '../../message/mail-message.js';
import { notifyAuth, notifyBlock } from '../../message/notice.js';
import { operator } from '../../message/operator-message.js';

/** The data beside a message that are used to wake its reader. */
export interface NotifyMetadata {
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
}

const nothing: NotifyMetadata = { notifyBlock: null, notifyAuth: null };

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const MetadataSchema = Type.Object({
  block: Type.Union([
    Type.Object({
      text: Type.String(),
      placement: Type.Union([Type.Literal('append'), Type.Literal('prepend')]),
    }),
    Type.Null(),
  ]),
  auth: Type.Union([
    Type.Object({
      scheme: Type.Literal('none'),
      token: TextOrNull,
      iss: TextOrNull,
      iat: TextOrNull,
      exp: TextOrNull,
    }),
    Type.Null(),
  ]),
});

/** Lines of a header must be short, and a value without a blank cannot be folded. */
const pieceLength = 60;

/**
 * Pure: encodes the data as the value of a header that survives the changes of mail servers; null where there is nothing to send.
 */
export function notifyHeader({ notifyBlock: block, notifyAuth: auth }: NotifyMetadata): string | null {
  if (block === null && auth === null) return null;
  const value: Static<typeof MetadataSchema> = { block, auth };
  const coded = Buffer.from(JSON.stringify(value)).toString('base64url');
  return coded.match(new RegExp(`.{1,${pieceLength}}`, 'g'))?.join(' ') ?? null;
}

/**
 * Pure: decodes the header; a value that {@link notifyHeader} did not write counts as nothing, because anyone can write a header.
 */
export function readNotifyHeader(header: string | null): NotifyMetadata {
  if (header === null) return nothing;
  try {
    const value: unknown = JSON.parse(Buffer.from(header.replace(/\s+/g, ''), 'base64url').toString('utf8'));
    if (!Value.Check(MetadataSchema, value)) return nothing;
    return {
      notifyBlock: value.block && notifyBlock(value.block.text, value.block.placement),
      notifyAuth: value.auth && notifyAuth(value.auth),
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MailRefusal) return nothing;
    throw error;
  }
}

/** The text between the angle brackets; a line of a header has 998 characters at most (RFC 5322, section 2.1.1). */
const namePattern = /^[!-;=?-~]{1,900}$/;

/** Pure: returns the Message-IDs that can stand in a header of ours. Those from outside may be any text. */
export const usableNames = (names: readonly string[] | null | undefined): string[] =>
  (names ?? []).filter((name) => namePattern.test(name));

/** In characters: servers write a header that is much longer in a form that loses the headers after it. */
const longestHeader = 8000;

/** Pure: returns the first message of a thread, and as many of the newest as one header has room for. */
export function shortThread(names: readonly string[]): string[] {
  const [first, ...later] = names;
  if (first === undefined) return [];
  let room = longestHeader - first.length;
  const begin = later.findLastIndex((name) => {
    room -= name.length + 3;
    return room < 0;
  });
  return [first, ...later.slice(begin + 1)];
}

/**
 * The form of addresses that are accepted from a header: servers remove quotes, so that a blank or a colon within them could make
 * the line that shows the address look like another person's.
 */
const addressPattern =
  /^[^\s\p{C}@<>(),;:"\\]{1,320}@(?:[^\s\p{C}@<>(),;:"\\]{1,255}|\[[^\s\p{C}@<>(),;"\\[\]]{1,253}\])$/u;

/**
 * Pure: decides whether a header may be shown as naming that address. The operator has no address on mail servers
 * (docs/decisions.md#mail-servers), so anyone who uses that one there is not the operator.
 */
export const isWorldAddress = (text: string): boolean =>
  addressPattern.test(text) && text.toLowerCase() !== operator.address.toLowerCase();
