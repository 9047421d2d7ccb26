import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument, renderDocument } from '../../../../src/mail/message/document.js';
import type { MailMessage } from '../../../../src/mail/message/mail-message.js';
import { MailRefusal } from '../../../../src/mail/message/mail-refusal.js';
import { readFrontMatter } from '../../../../src/mail/message/read-front-matter.js';
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
    ...{
      messageId: id('a'),
      threadId: id('a'),
      inReplyTo: null,
      references: [],
      createdAtUtc: '2026-03-13T09:15:30Z',
    },
    from: {
      principalId: 'HOUMAO-x',
      address: 'x@houmao.localhost',
      displayName: null,
      manifestPathHint: null,
      role: null,
    },
    to: [{ principalId: 'p', address: 'a@b', displayName: 'Ü', manifestPathHint: null, role: null }],
    ...{ cc: [], replyTo: [], subject: 'yes 😀: #1', attachments: [], headers: { 'x-ts': 'yes' } },
    ...{ notifyBlock: { text: 'one\ntwo', placement: 'append' }, notifyAuth: null, body: '\n\n  Hello' },
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

test.each([
  [
    'an unquoted time',
    { created_at_utc: '2026-03-13T09:15:30Z' },
    'created_at_utc',
    /timestamp that is not quoted/,
  ],
  ['a time without Z', { created_at_utc: "'2026-03-13T09:15:30+00:00'" }, 'created_at_utc', /ends with Z/],
  ['a day that is none', { created_at_utc: "'2026-02-30T09:15:30Z'" }, 'created_at_utc', /ends with Z/],
  ['a number for a string', { subject: '12' }, 'subject', /must be a string, not an integer/],
  ['a boolean for a string', { subject: 'yes' }, 'subject', /not a boolean/],
  ['null for a string', { subject: '' }, 'subject', /not null/],
  ['a blank subject', { subject: '" \\x85"' }, 'subject', /blank/],
  ['a version that is a string', { protocol_version: '"3"' }, 'protocol_version', /integer 3/],
  ['another version', { protocol_version: '1' }, 'protocol_version', /integer 3/],
  ['an unknown key', { surprise: '1' }, 'surprise', /unknown key/],
  [
    'an unknown key of a principal',
    { from: '{principal_id: p, address: a@b, x: 1}' },
    'from.x',
    /unknown key/,
  ],
  ['a sender beside the author', { sender: '{principal_id: p, address: a@b}' }, 'sender', /unknown key/],
  ['no recipient', { to: '[]' }, 'to', /recipient/],
  ['a recipient without address', { to: '[{principal_id: p}]' }, 'to[0].address', /missing/],
  [
    'an address that is none',
    { to: '[{principal_id: p, address: ../x}]' },
    'to[0].address',
    /no mailbox address/,
  ],
  ['an id that is a path', { message_id: '../../x' }, 'message_id', /message id/],
  ['an id in capitals', { message_id: id('A') }, 'message_id', /message id/],
  ['a thread of another in a message that is no reply', { thread_id: id('b') }, 'thread_id', /no reply/],
  ['references in a message that is no reply', { references: `[${id('b')}]` }, 'references', /empty/],
  [
    'a parent that is not the last reference',
    { in_reply_to: id('b'), references: `[${id('c')}]` },
    'references',
    /end with/,
  ],
  [
    'a size with a fraction',
    { attachments: '[{attachment_id: a, kind: path_ref, path: /x, media_type: t, size_bytes: 1.0}]' },
    'attachments[0].size_bytes',
    /integer/,
  ],
  [
    'a relative path',
    { attachments: '[{attachment_id: a, kind: path_ref, path: x, media_type: t}]' },
    'attachments[0].path',
    /begin with/,
  ],
  [
    'an unknown kind',
    { attachments: '[{attachment_id: a, kind: link, path: /x, media_type: t}]' },
    'attachments[0].kind',
    /one of/,
  ],
  [
    'a scheme of later',
    { notify_auth: '{scheme: jws}' },
    'notify_auth.scheme',
    /jws: verifier not yet supported/,
  ],
  ['a blank notice', { notify_block: '{text: " "}' }, 'notify_block.text', /blank/],
  ['headers that are a list', { headers: '[]' }, 'headers', /mapping/],
  ['a merge', { headers: '{a: <<}' }, 'headers.a', /plain <</],
  ['a key that is no string', { headers: '{on: 1}' }, 'front_matter', /key that is no string: on/],
  ['a tag', { subject: '!!binary aGk=' }, 'front_matter', /tag/],
  ['a key twice', { subject: 'a\nsubject: b' }, 'front_matter', /no YAML/],
  ['half a pair alone', { subject: '"\\ud83d"' }, 'front_matter', /surrogate/],
  ['half a pair as an escape', { subject: '"\\ud83d\\ude00"' }, 'front_matter', /surrogate/],
  ['a control character', { subject: '"a\u0007b"' }, 'front_matter', /control character/],
  ['no YAML', { subject: '"a' }, 'front_matter', /no YAML/],
])('%s is refused', (_, changes, field, rule) => {
  const attempt = () => parseDocument(documentOf(changes));
  expect(attempt).toThrow(MailRefusal);
  expect(attempt).toThrow(expect.objectContaining({ field, rule: expect.stringMatching(rule) }));
});

/** A document of our writer in which one line is another's. */
const rewritten = (key: string, value: string): string => {
  const [message] = fc.sample(anyMessage, 1);
  return renderDocument({ ...message!, attachments: [], headers: {} }).replace(
    new RegExp(`\\n${key}: .*\\n`),
    () => `\n${key}: ${value}\n`,
  );
};

test.each([
  ['subject', '"\\ud83d"', /surrogate/],
  ['subject', '"\\ud83d\\ude00"', /surrogate/],
  ['subject', '"a\u007fb"', /control character/],
  ['headers', '{"a":1,"a":2}', /no YAML/],
  [
    'attachments',
    '[{"attachment_id":"a","kind":"path_ref","path":"/x","media_type":"t","size_bytes":1.0}]',
    /must be an integer/,
  ],
])('%s: %j is refused also where everything else is as we write it', (key, value, rule) => {
  expect(() => parseDocument(rewritten(key, value))).toThrow(rule);
});

test('what JSON and YAML read differently is read as YAML', () => {
  expect(parseDocument(rewritten('headers', '{"n":1e+21}')).headers).toEqual({ n: '1e+21' });
  expect(parseDocument(rewritten('headers', '{"n":1.0e+21}')).headers).toEqual({ n: 1e21 });
  expect(parseDocument(rewritten('headers', '{"a": [1,  2]}')).headers).toEqual({ a: [1, 2] });
});

test('a reader of backslashes is not misled', () => {
  expect(parseDocument(documentOf({ subject: '"\\\\ud83d"' })).subject).toBe('\\ud83d');
});

test('aliases that multiply are refused before they fill the memory', () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`,
  );
  const bomb = `{x: &l0 [a], ${levels.join(', ')}}`;
  expect(() => parseDocument(documentOf({ headers: bomb }))).toThrow(/too many values|aliases?/i);
});

test.each([
  ['no fences', 'Hello'],
  ['a byte order mark', `\ufeff${documentOf({})}`],
  ['no end', documentOf({}).replace(/---\n$/, '')],
  ['an end without a line feed', documentOf({}).replace(/---\n$/, '---')],
  ['two documents in a front matter', documentOf({ subject: 'a\n... \nb: c' })],
])('%s: no message', (_, document) => {
  expect(() => parseDocument(document)).toThrow(expect.objectContaining({ field: 'front_matter' }));
});

test('NUL in a body is refused in both directions', () => {
  const document = `${documentOf({})}\na\0b`;
  expect(() => parseDocument(document)).toThrow(expect.objectContaining({ field: 'body' }));
  expect(() => renderDocument({ ...parseDocument(documentOf({})), body: '\0' })).toThrow(MailRefusal);
  expect(() => renderDocument({ ...parseDocument(documentOf({})), body: '\udc00' })).toThrow(MailRefusal);
  expect(() => renderDocument({ ...parseDocument(documentOf({})), subject: '\udc00' })).toThrow(MailRefusal);
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
