import { expect, test } from 'vitest';
import { failureOf } from '../../../src/cli/failures.js';
import { LaunchRefused, type LaunchTrouble } from '../../../src/launch/launch-fault.js';
import { MailFault, MailRefusal } from '../../../src/mail/message/mail-fault.js';

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

test('a rule of mail that a value breaks is bad usage', () => {
  const failure = failureOf(new MailRefusal('address', 'must not be blank'));
  expect(failure).toMatchObject({ errorCode: 'validation_failed', exitCode: 2 });
  expect(failure.message).toBe('--address must not be blank.');
});

test.each([
  ['address: must not be blank', true, '--address: must not be blank'],
  ['/mail: is not a folder', true, 'The mailbox root /mail: is not a folder'],
  ['the agent has none', false, 'The mailbox was refused: the agent has none'],
])('a mailbox that is refused (%s) names the flag or the root', (reason, isInput, words) => {
  expect(failureOf(new LaunchRefused({ code: 'mailbox_refused', reason, isInput })).message).toBe(words);
});

test.each<[LaunchTrouble, number]>([
  [{ code: 'program_missing', program: '/nowhere/claude', isNamed: true }, 2],
  [{ code: 'program_missing', program: 'claude', isNamed: false }, 1],
  [{ code: 'no_folder', path: '/nowhere' }, 2],
  [{ code: 'mailbox_refused', reason: 'address: "foo" is not a mailbox address', isInput: true }, 2],
  [{ code: 'mailbox_refused', reason: 'is registered for HOUMAO-other', isInput: false }, 1],
  [{ code: 'name_taken', name: 'HOUMAO-alpha', manifestPath: '/m' }, 1],
])('a launch that is refused for %j ends with %i', (trouble, exitCode) => {
  expect(failureOf(new LaunchRefused(trouble))).toMatchObject({ errorCode: trouble.code, exitCode });
});
