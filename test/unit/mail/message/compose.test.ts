import { expect, test } from 'vitest';
import {
  composeReply,
  composeRoot,
  oneLine,
  type RootDraft,
  replySubject,
} from '../../../../src/mail/message/compose.js';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import { type MailMessage, plainPrincipal } from '../../../../src/mail/message/mail-message.js';

const at = new Date('2026-03-13T09:15:30.999Z');
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => plainPrincipal(name, `${name}@b`)) as [
  ReturnType<typeof plainPrincipal>,
  ReturnType<typeof plainPrincipal>,
  ReturnType<typeof plainPrincipal>,
];
const content = { body: 'Hello', attachments: [], notifyBlock: null, notifyAuth: null };
const draft = (changes: Partial<RootDraft> = {}): RootDraft => ({
  ...content,
  from: alice,
  to: [bob],
  cc: [],
  replyTo: [],
  subject: ' Hi ',
  headers: {},
  ...changes,
});
const reply = (parent: MailMessage, from = bob) => composeReply(parent, from, content, at);

test('a root begins its own thread, at one reading of the clock', () => {
  const root = composeRoot(draft(), at);
  expect(root).toMatchObject({
    subject: 'Hi',
    createdAtUtc: '2026-03-13T09:15:30Z',
    inReplyTo: null,
    references: [],
  });
  expect(root.messageId).toMatch(/^msg-20260313T091530Z-[0-9a-f]{32}$/);
  expect(root.threadId).toBe(root.messageId);
  expect(composeRoot(draft(), at).messageId).not.toBe(root.messageId);
});

test('a chain of three has 0, 1 and 2 references and one Re:', () => {
  const first = composeRoot(draft(), at);
  const second = reply(first);
  const third = reply(second, alice);
  expect([first, second, third].map(({ references }) => references)).toEqual([
    [],
    [first.messageId],
    [first.messageId, second.messageId],
  ]);
  expect([first, second, third].map(({ subject }) => subject)).toEqual(['Hi', 'Re: Hi', 'Re: Hi']);
  expect([second, third].map(({ threadId }) => threadId)).toEqual([first.threadId, first.threadId]);
  expect([second.inReplyTo, third.inReplyTo]).toEqual([first.messageId, second.messageId]);
});

test('a reply goes to reply_to, else to the sender, never to the others', () => {
  expect(reply(composeRoot(draft({ cc: [carol] }), at)).to).toEqual([alice]);
  const asked = reply(composeRoot(draft({ cc: [carol], replyTo: [carol] }), at));
  expect([asked.to, asked.cc, asked.replyTo, asked.headers]).toEqual([[carol], [], [], {}]);
});

test.each([
  ['re: x', 're: x'],
  ['RE:x', 'RE:x'],
  ['Regards', 'Re: Regards'],
  ['line1\nForged: line2', 'Re: line1 Forged: line2'],
  ['\u001b[2Jx', 'Re: [2Jx'],
  ['\u0007', 'Re:'],
])('the answer to %j is %j', (parent, subject) => {
  expect(replySubject(parent)).toBe(subject);
});

test('an address is named once over to and cc, the first counts', () => {
  const named = { ...bob, displayName: 'Bob' };
  const { to, cc } = composeRoot(draft({ to: [bob, carol, bob], cc: [named, alice, carol] }), at);
  expect([to, cc]).toEqual([[bob, carol], [alice]]);
  const attempt = () => composeRoot(draft({ cc: [plainPrincipal('other', bob.address)] }), at);
  expect(attempt).toThrow(
    expect.objectContaining({ field: 'cc[0]', rule: expect.stringContaining('two owners') }),
  );
  expect(() => composeRoot(draft({ to: [] }), at)).toThrow(expect.objectContaining({ field: 'to' }));
});

test.each(['', ' \u0085', 'a\nb', 'a\u001b[31mb', 'a\u009bb', 'a\u2028b', 'a\0b', '\ud800', 'a\rFrom: x'])(
  'the subject %j is refused',
  (subject) => {
    const attempt = () => composeRoot(draft({ subject }), at);
    expect(attempt).toThrow(MailRefusal);
    expect(attempt).toThrow(expect.objectContaining({ field: 'subject' }));
  },
);

test('a line keeps what is no control', () => {
  expect(oneLine(' yes 😀: #1\u00ad\t', 'subject')).toBe('yes 😀: #1\u00ad');
});

test('the notice is taken from the body whose line ends are made LF', () => {
  const { body, notifyBlock } = composeRoot(draft({ body: '```houmao-notify\r\nx\r\n```\r\n' }), at);
  expect([body, notifyBlock]).toEqual(['```houmao-notify\nx\n```\n', { text: 'x', placement: 'append' }]);
});
