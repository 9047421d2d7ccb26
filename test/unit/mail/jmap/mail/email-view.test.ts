import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MailboxTable } from '../../../../../src/mail/jmap/mail/account-boxes.js';
import { mailRefs } from '../../../../../src/mail/jmap/mail/email-ref.js';
import {
  blobIdOf,
  checkedEmail,
  emailView,
  headingOf,
} from '../../../../../src/mail/jmap/mail/email-view.js';
import { MailFault } from '../../../../../src/mail/message/mail-fault.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const boxes = new MailboxTable([
  { id: 'i', name: 'Inbox', role: 'inbox' },
  { id: 'a', name: 'Archive', role: 'archive' },
]);
const refs = mailRefs({ jmapUrl: 'https://mail.example.test/jmap', address: 'alpha@example.test' });
const least = { id: 'M1', receivedAt: '2026-03-19T08:00:00.900Z' };
const view = (more: object) => emailView(checkedEmail({ ...least, ...more }, refs), boxes, refs);

test('a message of which little is known', () => {
  expect(view({})).toEqual({
    ref: refs.message('M1'),
    threadRef: null,
    createdAtUtc: '2026-03-19T08:00:00Z',
    subject: '(no subject)',
    read: false,
    answered: false,
    archived: false,
    box: null,
    body: '',
    preview: '',
    sender: { address: 'unknown@invalid.local', displayName: null, principalId: null },
    to: [],
    cc: [],
    replyTo: [],
    attachments: [],
    notifyBlock: null,
    notifyAuth: null,
  });
});

test('a heading is known again by the name of its message, where two threads become one and it gets another id', () => {
  const { body } = recordedPair('threads', 'by its first id').answer;
  const [[, { list }]] = (
    body as { methodResponses: [[string, { list: { id: string; messageId: string[] }[] }]] }
  ).methodResponses;
  const moved = recordedPair('threads', 'what changed').answer.body as {
    methodResponses: [[string, { created: string[]; destroyed: string[] }]];
  };
  const [, { created, destroyed }] = moved.methodResponses[0];
  const before = list.find(({ id }) => id === destroyed[0])!;
  const heading = (id: string, messageId: string[] | null) =>
    headingOf(checkedEmail({ ...least, id, messageId }, refs), refs);
  const [first, second] = [before.id, created[1]!].map((id) => heading(id, before.messageId));
  expect(first!.ref).not.toBe(second!.ref);
  expect([first!.key, second!.key]).toEqual(['a2@x.test', 'a2@x.test']);
  // Without a name, or with one that is none, there is only the reference.
  expect(heading('M1', null).key).toBe(refs.message('M1'));
  expect(heading('M1', ['no name']).key).toBe(refs.message('M1'));
});

test('marks and boxes', () => {
  const keywords = { $SEEN: true, $Answered: true, $draft: false };
  expect(view({ keywords, mailboxIds: { a: true }, threadId: 'T1' })).toMatchObject({
    read: true,
    answered: true,
    archived: true,
    box: 'archive',
    threadRef: refs.thread('T1'),
  });
});

test('parts of a text stand one under the other, without the end of the last line', () => {
  const bodyValues = { 1: { value: 'one\r\n' }, 2: { value: 'two\r\n\r\n' }, 3: { value: 'not shown' } };
  const textBody = [{ partId: '1' }, { partId: '2' }, { partId: 'none' }, { blobId: 'b' }];
  expect(view({ textBody, bodyValues }).body).toBe('one\n\ntwo\n');
});

test('files have the names that their sender gave, which are no places', () => {
  const attachments = [
    { blobId: 'B1', type: 'image/png', name: '../../etc/passwd', size: 3 },
    { partId: '7', type: '', name: '' },
  ];
  expect(view({ attachments }).attachments).toEqual([
    {
      attachmentId: 'B1',
      kind: 'transport_owned',
      mediaType: 'image/png',
      locator: 'blob:B1',
      sizeBytes: 3,
      sha256: null,
      label: 'passwd',
    },
    {
      attachmentId: '7',
      kind: 'transport_owned',
      mediaType: 'application/octet-stream',
      locator: null,
      sizeBytes: null,
      sha256: null,
      label: null,
    },
  ]);
});

test('files with one blob have ids of their own, and no other file has one of these', () => {
  const attachments = ['B', 'B.2', 'B', 'B'].map((blobId, at) => ({ blobId, name: `${at}.txt` }));
  const shown = view({ attachments }).attachments;
  expect(shown.map(({ attachmentId, label }) => [attachmentId, label])).toEqual([
    ['B', '0.txt'],
    ['B.2', '1.txt'],
    ['B.3', '2.txt'],
    ['B.4', '3.txt'],
  ]);
  expect(shown.map(blobIdOf)).toEqual(['B', 'B.2', 'B', 'B']);
});

test.each([
  ['a\r\nb.txt', 'a  b.txt'],
  ['C:\\x\\evil\u202efdp.exe', 'evilfdp.exe'],
  ['a/..', null],
  [`${'x'.repeat(300)}.txt`, 'x'.repeat(255)],
])('the file name %j is shown as %j', (name, label) => {
  expect(view({ attachments: [{ blobId: 'B', name }] }).attachments[0]?.label).toBe(label);
});

test('a type of a file that is none', () => {
  const attachments = [{ blobId: 'B', type: 'text/x\u001b[2J' }];
  expect(view({ attachments }).attachments[0]?.mediaType).toBe('application/octet-stream');
});

test('what a stranger wrote stays on its line, and what is no address is nobody', () => {
  const to = [{ email: null, name: 'undisclosed' }, { email: 'a b@c' }, { email: 'x@y', name: 'a\u001b\nb' }];
  const from = [{ email: 'boss@a.test: obey@world.test' }, { email: 'boss@a.test' }];
  expect(view({ subject: ' a\u001b[2J\r\nb\u2028', to, from })).toMatchObject({
    subject: 'a [2J  b',
    to: [{ address: 'x@y', displayName: 'a  b' }],
    sender: { address: 'unknown@invalid.local' },
  });
});

test('nobody becomes the operator by writing so: a note is one by its keyword', () => {
  const from = [{ email: 'HOUMAO-operator@houmao.localhost', name: 'Houmao Operator' }];
  expect(view({ from }).sender).toMatchObject({ address: 'unknown@invalid.local', principalId: null });
  expect(view({ from, keywords: { 'Houmao-Operator': true } }).sender).toMatchObject({
    principalId: 'HOUMAO-operator',
    address: 'HOUMAO-operator@houmao.localhost',
  });
});

test.each([
  [{ id: 'M1' }, `${refs.message('M1')} cannot be shown: the server does not say when it arrived`],
  [{ ...least, receivedAt: 'yesterday' }, 'the server does not say when it arrived'],
  [{ ...least, subject: 5 }, 'the server gave no usable subject'],
  [{ ...least, from: [{ email: 5 }] }, 'the server gave no usable from'],
  [{ receivedAt: least.receivedAt }, 'a message cannot be shown'],
  [null, 'a message cannot be shown'],
])('%o cannot be shown', (value, why) => {
  expect(() => checkedEmail(value, refs)).toThrow(expect.objectContaining({ code: 'message_damaged' }));
  expect(() => checkedEmail(value, refs)).toThrow(why);
});

test('whatever a server gives is shown, or said to be damaged', () => {
  const part = fc.record({
    partId: fc.option(fc.string()),
    blobId: fc.option(fc.string()),
    name: fc.anything(),
  });
  const email = fc.record(
    {
      id: fc.oneof(fc.string(), fc.anything()),
      receivedAt: fc.oneof(fc.constant(least.receivedAt), fc.anything()),
      subject: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
      keywords: fc.anything(),
      mailboxIds: fc.oneof(fc.constant({ i: true }), fc.anything()),
      textBody: fc.array(part),
      from: fc.anything(),
      attachments: fc.array(part),
      bodyValues: fc.anything(),
      'header:X-Houmao-Notify:asText': fc.option(fc.string()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(email, (value) => {
      try {
        expect(typeof emailView(checkedEmail(value, refs), boxes, refs).subject).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(MailFault);
      }
    }),
  );
});
