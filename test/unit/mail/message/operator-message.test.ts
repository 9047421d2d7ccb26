import { expect, test } from 'vitest';
import { composeReply } from '../../../../src/mail/message/compose.js';
import { plainPrincipal } from '../../../../src/mail/message/mail-message.js';
import {
  checkMayReply,
  composeOperatorMessage,
  operator,
  replyPolicyOf,
} from '../../../../src/mail/message/operator-message.js';

const at = new Date('2026-03-13T09:15:30Z');
const target = plainPrincipal('HOUMAO-x', 'x@houmao.localhost');
const content = { body: 'Hello', attachments: [], notifyBlock: null, notifyAuth: null };
const post = (replyPolicy: 'none' | 'operator_mailbox') =>
  composeOperatorMessage({ ...content, subject: 'Hi', replyPolicy }, target, at);

test('it comes from the operator, goes to its target alone, and says so in its headers', () => {
  expect(post('operator_mailbox')).toMatchObject({
    from: operator,
    to: [target],
    cc: [],
    replyTo: [operator],
    inReplyTo: null,
    headers: { 'x-houmao-origin': 'operator', 'x-houmao-reply-policy': 'operator_mailbox' },
  });
  expect(operator).toMatchObject({ displayName: 'Houmao Operator', role: 'system_operator' });
  expect(post('none').replyTo).toEqual([]);
});

test('an answer is refused where none is wanted, and goes to the operator elsewhere, without its headers', () => {
  expect(() => checkMayReply(post('none'))).toThrow(expect.objectContaining({ code: 'no_replies' }));
  expect(() => checkMayReply(post('operator_mailbox'))).not.toThrow();
  const reply = composeReply(post('operator_mailbox'), target, content, at);
  expect([reply.to, reply.headers]).toEqual([[operator], {}]);
});

test.each([
  [{}, null],
  [{ 'x-houmao-origin': 'agent' }, null],
  [{ 'X-Houmao-Origin': 'operator' }, null],
  [{ 'x-houmao-origin': true }, null],
  [{ 'x-houmao-origin': ' OPERATOR ' }, 'none'],
  [{ 'x-houmao-origin': 'operator', 'x-houmao-reply-policy': ' Operator_Mailbox' }, 'operator_mailbox'],
  [{ 'x-houmao-origin': 'operator', 'x-houmao-reply-policy': 'anybody' }, 'none'],
])('headers %j: policy %s', (headers, policy) => {
  expect(replyPolicyOf({ headers })).toBe(policy);
});
