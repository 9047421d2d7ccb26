import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MailRefusal } from '../../message/mail-fault.js';
import type { NotifyAuth, NotifyBlock } from '../../message/mail-message.js';
import { notifyAuth, notifyBlock } from '../../message/notice.js';
import { operator } from '../../message/operator-message.js';

/** What goes beside a message to wake its reader. */
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

/** No line of a header may be long, and one without a blank cannot be folded. */
const pieceLength = 60;

/** Pure: as the value of a header that survives whatever mail servers do to text; null where there is nothing to say. */
export function notifyHeader({ notifyBlock: block, notifyAuth: auth }: NotifyMetadata): string | null {
  if (block === null && auth === null) return null;
  const value: Static<typeof MetadataSchema> = { block, auth };
  const coded = Buffer.from(JSON.stringify(value)).toString('base64url');
  return coded.match(new RegExp(`.{1,${pieceLength}}`, 'g'))?.join(' ') ?? null;
}

/** Pure: nothing for what was not written by {@link notifyHeader}: anybody can write a header. */
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

/** The inside of the angle brackets; a line of a header has 998 characters at most (RFC 5322, section 2.1.1). */
const namePattern = /^[!-;=?-~]{1,900}$/;

/** Pure: names of messages that can stand in a header of ours. Those of strangers may be anything. */
export const usableNames = (names: readonly string[] | null | undefined): string[] =>
  (names ?? []).filter((name) => namePattern.test(name));

/** Servers write a header that is much longer in a way that ends the others. Characters. */
const longestHeader = 8000;

/** Pure: the first message of a thread and as many of the newest as one header has room for. */
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
 * What a header of the world calls an address and what can be one: servers take the quotes off, so that a blank or a colon in
 * one could make a line that shows it look like another's.
 */
const addressPattern =
  /^[^\s\p{C}@<>(),;:"\\]{1,320}@(?:[^\s\p{C}@<>(),;:"\\]{1,255}|\[[^\s\p{C}@<>(),;"\\[\]]{1,253}\])$/u;

/**
 * Pure: whether a header may be shown as naming that address. The operator has none in the world (docs/decisions.md#mail-servers),
 * so whoever writes that one there is not the operator.
 */
export const isWorldAddress = (text: string): boolean =>
  addressPattern.test(text) && text.toLowerCase() !== operator.address.toLowerCase();
