import { type Static, Type } from '@sinclair/typebox';

const Nullish = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const Address = Type.Object({ email: Nullish(Type.String()), name: Nullish(Type.String()) });
const Addresses = Nullish(Type.Array(Address));
const Ids = Nullish(Type.Array(Type.String()));
const Part = Type.Object({
  partId: Nullish(Type.String()),
  blobId: Nullish(Type.String()),
  type: Nullish(Type.String()),
  name: Nullish(Type.String()),
  size: Nullish(Type.Integer({ minimum: 0 })),
});

/**
 * The properties of a message that are read (RFC 8621, section 4.1): those that may be missing are checked when they are needed.
 */
export const EmailSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  threadId: Nullish(Type.String()),
  receivedAt: Nullish(Type.String()),
  keywords: Nullish(Type.Record(Type.String(), Type.Unknown())),
  mailboxIds: Nullish(Type.Record(Type.String(), Type.Unknown())),
  subject: Nullish(Type.String()),
  messageId: Ids,
  references: Ids,
  from: Addresses,
  to: Addresses,
  cc: Addresses,
  replyTo: Addresses,
  textBody: Nullish(Type.Array(Part)),
  attachments: Nullish(Type.Array(Part)),
  bodyValues: Nullish(
    Type.Record(Type.String(), Type.Object({ value: Type.String(), isTruncated: Nullish(Type.Boolean()) })),
  ),
  'header:X-Houmao-Notify:asText': Nullish(Type.String()),
  'header:X-Houmao-Reply-Policy:asText': Nullish(Type.String()),
});
export type Email = Static<typeof EmailSchema>;

/** The messages are not checked here: a malformed one does not make its list unreadable. */
export const EmailsSchema = Type.Object({
  list: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  notFound: Type.Optional(Type.Array(Type.String())),
  state: Type.Optional(Type.String()),
});

const heading = ['id', 'threadId', 'receivedAt', 'subject'];
const flags = ['keywords', 'mailboxIds'];
const people = ['from', 'to', 'cc', 'replyTo'];
const content = ['textBody', 'attachments', 'bodyValues'];
const metadata = ['header:X-Houmao-Notify:asText', 'header:X-Houmao-Reply-Policy:asText'];

export const headingProperties: readonly string[] = [...heading, 'messageId'];
export const flagProperties: readonly string[] = ['id', ...flags];
export const emailProperties: readonly string[] = [
  ...[...heading, ...flags, 'messageId', 'references'],
  ...[...people, ...content, ...metadata],
];

/** Keywords of RFC 8621; servers give them in lower case. */
export const seen = '$seen';
export const answered = '$answered';
export const draft = '$draft';
/** The keyword of a note that the operator posted here: no sender can set a keyword from outside. */
export const operatorNote = 'houmao-operator';

export function hasKeyword(
  keywords: Readonly<Record<string, unknown>> | null | undefined,
  keyword: string,
): boolean {
  return Object.entries(keywords ?? {}).some(([name, set]) => set === true && name.toLowerCase() === keyword);
}
