import fc from 'fast-check';
import type { Attachment, MailMessage, Principal } from '../../../src/mail/message/mail-message.js';
import { isBlank, strip, withLineFeeds } from '../../../src/mail/message/mail-text.js';
import { truncated } from '../../../src/mail/message/notice.js';

const id = (digit: string): string => `msg-20260313T091530Z-${digit.repeat(32)}`;

/** Any Unicode that UTF-8 has. */
export const anyText = fc.string({ unit: 'binary' });
const text = anyText.map(strip).filter((each) => !isBlank(each));
const optional = fc.option(text);
const principal: fc.Arbitrary<Principal> = fc.record({
  principalId: text,
  address: fc.constantFrom('a@b', 'c.d+e@f-g.h', 'HOUMAO-x@houmao.localhost'),
  displayName: optional,
  manifestPathHint: optional,
  role: optional,
});
const attachment: fc.Arbitrary<Attachment> = fc.record({
  attachmentId: text,
  kind: fc.constant('path_ref' as const),
  path: anyText.map((path) => strip(`/${path}`)),
  mediaType: text,
  sha256: fc.option(fc.constant('0a'.repeat(32))),
  sizeBytes: fc.option(fc.maxSafeNat()),
  label: optional,
});
const json = fc
  .jsonValue({ stringUnit: 'binary' })
  // JSON has no negative zero.
  .map((value) => JSON.parse(JSON.stringify(value)));
/** A message that may be written. */
export const anyMessage: fc.Arbitrary<MailMessage> = fc.record({
  messageId: fc.constant(id('1')),
  threadId: fc.constant(id('2')),
  inReplyTo: fc.constant(id('3')),
  references: fc.constant([id('2'), id('3')]),
  createdAtUtc: fc.constant('2026-03-13T09:15:30Z'),
  from: principal,
  to: fc.array(principal, { minLength: 1, maxLength: 3 }),
  cc: fc.array(principal, { maxLength: 2 }),
  replyTo: fc.array(principal, { maxLength: 2 }),
  subject: text,
  attachments: fc.array(attachment, { maxLength: 2 }),
  headers: fc.dictionary(
    anyText.filter((key) => key.trim() !== ''),
    json,
    { maxKeys: 4 },
  ),
  notifyBlock: fc.option(
    fc.record({
      text: text.filter((each) => !each.includes('\0')).map(truncated),
      placement: fc.constantFrom('append' as const, 'prepend' as const),
    }),
  ),
  notifyAuth: fc.option(
    fc.record({
      scheme: fc.constant('none' as const),
      token: optional,
      iss: optional,
      iat: optional,
      exp: optional,
    }),
  ),
  body: anyText.map((body) => withLineFeeds(body.replaceAll('\0', ''))),
});
