import { expect, test } from 'vitest';
import { failureOf } from '../../../src/cli/failure-of.js';
import { MailFault } from '../../../src/mail/message/mail-fault.js';

test.each([
  ['state_late', 4],
  ['outcome_unknown', 3],
  ['not_registered', 5],
  ['message_unknown', 5],
  ['conflict', 1],
] as const)('a mailbox that says %s ends a command with %i', (errorCode, exitCode) => {
  const failure = failureOf(new MailFault(errorCode, 'bob is registered, but not all of it.'));
  expect(failure).toMatchObject({ errorCode, exitCode, message: 'bob is registered, but not all of it.' });
});
