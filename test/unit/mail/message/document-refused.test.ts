import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument, renderDocument } from '../../../../src/mail/message/document.js';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import { anyMessage } from '../../../support/mail/any-message.js';
import { documentOf } from '../../../support/mail/documents.js';

const id = (digit: string): string => `msg-20260313T091530Z-${digit.repeat(32)}`;

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
    /not a mailbox address/,
  ],
  ['an id that is a path', { message_id: '../../x' }, 'message_id', /message id/],
  ['an id in capitals', { message_id: id('A') }, 'message_id', /message id/],
  [
    'a thread of another in a message that is not a reply',
    { thread_id: id('b') },
    'thread_id',
    /not a reply/,
  ],
  ['references in a message that is not a reply', { references: `[${id('b')}]` }, 'references', /empty/],
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
  ['a key that is not a string', { headers: '{on: 1}' }, 'front_matter', /key that is not a string: on/],
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
