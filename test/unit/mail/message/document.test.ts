import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument, readFrontMatter, renderDocument } from '../../../../src/mail/message/document.js';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import type { MailMessage } from '../../../../src/mail/message/mail-message.js';
import { readYaml } from '../../../../src/mail/message/yaml-reader.js';
import { anyMessage, anyText } from '../../../support/mail/any-message.js';
import { documentOf, frontMatterOf } from '../../../support/mail/documents.js';

const id = (digit: string): string => `msg-20260313T091530Z-${digit.repeat(32)}`;

test('what is written is read back, by our own reading and by the YAML library’s', () => {
  fc.assert(
    fc.property(anyMessage, (written) => {
      const document = renderDocument(written);
      expect(parseDocument(document)).toEqual(written);
      const { body, ...matter } = written;
      expect(readFrontMatter(readYaml(frontMatterOf(document)))).toEqual(matter);
      expect(document.endsWith(body)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a front matter has nothing raw in it that PyYAML refuses or folds, and no half of a surrogate pair', () => {
  fc.assert(
    fc.property(anyMessage, (written) => {
      const matter = frontMatterOf(renderDocument(written));
      expect(matter).not.toMatch(/[^\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u);
      expect(matter).not.toMatch(/(?<!\\)(\\\\)*\\u[dD][89a-fA-F]/);
      expect(
        matter
          .split('\n')
          .slice(0, -1)
          .every((line) => /^[a-z_]+: [\s\S]/.test(line)),
      ).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('the layout is that of the format, to the byte', () => {
  const written: MailMessage = {
    messageId: id('a'),
    threadId: id('a'),
    inReplyTo: null,
    references: [],
    createdAtUtc: '2026-03-13T09:15:30Z',
    from: {
      principalId: 'HOUMAO-x',
      address: 'x@houmao.localhost',
      displayName: null,
      manifestPathHint: null,
      role: null,
    },
    to: [{ principalId: 'p', address: 'a@b', displayName: 'Ü', manifestPathHint: null, role: null }],
    cc: [],
    replyTo: [],
    subject: 'yes 😀: #1',
    attachments: [],
    headers: { 'x-ts': 'yes' },
    notifyBlock: { text: 'one\ntwo', placement: 'append' },
    notifyAuth: null,
    body: '\n\n  Hello',
  };
  expect(renderDocument(written)).toBe(`---
protocol_version: 3
message_id: "${id('a')}"
thread_id: "${id('a')}"
in_reply_to: null
references: []
created_at_utc: "2026-03-13T09:15:30Z"
from: {"principal_id":"HOUMAO-x","address":"x@houmao.localhost","display_name":null,"manifest_path_hint":null,"role":null}
to: [{"principal_id":"p","address":"a@b","display_name":"Ü","manifest_path_hint":null,"role":null}]
cc: []
reply_to: []
subject: "yes 😀: #1"
attachments: []
headers: {"x-ts":"yes"}
notify_block: {"text":"one\\ntwo","placement":"append"}
notify_auth: null
---



  Hello`);
  expect(renderDocument({ ...written, body: '' }).endsWith('notify_auth: null\n---\n')).toBe(true);
  expect(parseDocument(renderDocument({ ...written, body: 'a\r\nb\rc' })).body).toBe('a\nb\nc');
});

test('a document in the style of PyYAML says what its writer meant', () => {
  const read = parseDocument(`---
protocol_version: 3
message_id: ${id('a')}
thread_id: ${id('b')}
in_reply_to: ${id('b')}
references:
- ${id('b')}
created_at_utc: '2026-03-13T09:15:30Z'
from: &id001
  principal_id: HOUMAO-x
  address: x@houmao.localhost
  display_name: "\\xDCber \\u2026 \\U0001F600"
  manifest_path_hint: null
  role: ~
to:
- principal_id: y
  address: a@b
  display_name:
cc: []
reply_to:
- *id001
subject: a long subject that the writer of the file has folded at its eightieth column
  because it is long
attachments:
- attachment_id: att-1
  kind: path_ref
  path: /tmp/x y
  media_type: text/plain
  sha256: ${'AB'.repeat(32)}
  size_bytes: 012
headers:
  x-a: 1e3
  x-b: 'yes'
  x-c: on
  x-d: 1.0e+3
  x-e: 2026-01-01
notify_block:
  text: 'line1

    line2'
  placement: append
notify_auth:
  scheme: none
  token: "two\\
    \\ words"
---

Body
`);
  expect(read).toMatchObject({
    from: { displayName: 'Über … 😀', manifestPathHint: null, role: null },
    to: [{ principalId: 'y', displayName: null }],
    replyTo: [{ principalId: 'HOUMAO-x', address: 'x@houmao.localhost' }],
    subject:
      'a long subject that the writer of the file has folded at its eightieth column because it is long',
    attachments: [{ path: '/tmp/x y', sha256: 'ab'.repeat(32), sizeBytes: 10, label: null }],
    headers: { 'x-a': '1e3', 'x-b': 'yes', 'x-c': true, 'x-d': 1000, 'x-e': '2026-01-01' },
    notifyBlock: { text: 'line1\nline2', placement: 'append' },
    notifyAuth: { scheme: 'none', token: 'two words', iss: null },
    body: 'Body\n',
  });
});

test.each([
  ['1e3'],
  ['y'],
  ['"line1\\nline2"', 'line1\nline2'],
  ["'012'", '012'],
  ['0o17'],
  ['"emoji \\U0001F600"', 'emoji 😀'],
])('the subject %s of another writer', (yaml, subject = yaml) => {
  expect(parseDocument(documentOf({ subject: yaml })).subject).toBe(subject);
});

test('nothing that is read throws anything but a refusal', () => {
  fc.assert(
    fc.property(fc.constantFrom('subject', 'from', 'headers', 'extra', 'to'), anyText, (key, yaml) => {
      try {
        parseDocument(documentOf({ [key]: yaml }));
      } catch (error) {
        expect(error).toBeInstanceOf(MailRefusal);
      }
    }),
    { numRuns: 500 },
  );
});
