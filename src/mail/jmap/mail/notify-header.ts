import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { NotifyAuth, NotifyBlock } from '../../message/mail-message.js';
import { MailRefusal } from '../../message/mail-refusal.js';
import { notifyAuth } from '../../message/notify-auth.js';
import { notifyBlock } from '../../message/notify-block.js';

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
      ...{
        scheme: Type.Literal('none'),
        token: TextOrNull,
        iss: TextOrNull,
        iat: TextOrNull,
        exp: TextOrNull,
      },
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
