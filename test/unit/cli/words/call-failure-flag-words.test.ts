import { expect, test } from 'vitest';
import { detailInFlags, sentenceInFlags } from '../../../../src/cli/words/call-failure.js';

const refused = (operationId: string, ...locs: (string | number)[][]) =>
  detailInFlags({
    operationId,
    detail: 'body.x: no',
    items: locs.map((loc) => ({ type: 'value_error', loc, msg: 'no', input: null })),
  });

test.each([
  ['submitRequest', ['body', 'payload', 'execution', 'model', 'name'], '--model: no'],
  ['sendKeys', ['body', 'sequence'], 'the keys: no'],
  ['createReminders', ['body', 'reminders', 0, 'deliver_at_utc'], '--at: no'],
  ['updateReminder', ['body', 'interval_seconds'], '--every: no'],
  ['updateAgentReminder', ['body', 'prompt'], '--prompt: no'],
  ['updateMailNotifier', ['body', 'interval_seconds'], '--interval: no'],
  ['getReminder', ['path', 'reminder_id'], 'the reminder id: no'],
  ['submitRequest', ['header', 'idempotency-key'], '--idempotency-key: no'],
  ['sendMail', ['body', 'to', 1], '--to: no'],
  ['sendMail', ['body', 'notify_auth', 'scheme'], 'notify_auth.scheme: no'],
  ['sendMail', ['body'], 'body: no'],
])('a call of %s that is refused for %j names the flag', (operation, loc, words) => {
  expect(refused(operation, loc)).toBe(words);
});

test('each field that is refused is named, in the order of the answer', () => {
  expect(refused('sendMail', ['body', 'to', 0], ['body', 'subject'])).toBe('--to: no; --subject: no');
});

test.each([
  ['to[0]: "bob" is no address', '--to: "bob" is no address'],
  ['attachments[2].path: must be a file', '--attach: must be a file'],
  ['payload.chat_session: not there', '--new: not there'],
  ['message_ref "x" names no message.', '--message-ref "x" names no message.'],
  ['The agent: it is busy', 'The agent: it is busy'],
  ['No agent has to: be', 'No agent has to: be'],
])('%s', (sentence, words) => {
  expect(sentenceInFlags(sentence)).toBe(words);
  expect(detailInFlags({ items: [], detail: sentence, operationId: 'sendMail' })).toBe(words);
});
