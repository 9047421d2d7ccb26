import { GatewayError, type OperationId } from '@houmao/sdk';
import { HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { answerWords, callExitCode, callFailure } from '../../../../src/cli/words/call-failure.js';

type Fields = ConstructorParameters<typeof GatewayError>[0];
const failed = (fields: Partial<Fields>) =>
  new GatewayError({
    status: 409,
    errorCode: 'http_409',
    detail: 'Why.',
    operationId: 'updateQueue',
    httpRequestId: 'http-1',
    ...fields,
  });
const reported = (fields: Partial<Fields>) => {
  const error = failed(fields);
  return [callExitCode(error), answerWords(error, 'Refused')];
};
const unknown = [3, 'It is not known whether this was done; check before you repeat it: Why.'];

test('a refusal is called one', () => {
  expect(reported({})).toEqual([1, 'Refused: Why.']);
  expect(reported({ status: 404 })).toEqual([5, 'Refused: Why.']);
  for (const errorCode of ['validation_failed', 'mail_refused'] as const)
    expect(reported({ status: 422, errorCode })).toEqual([2, 'Refused: Why.']);
});

test('what a gateway of the older implementation has no operation for is refused by nobody: a command replaces it', () => {
  const replace = expect.stringMatching(/older implementation.*attach --restart/);
  for (const status of [404, 405]) {
    expect(reported({ status, httpRequestId: null })).toEqual([1, replace]);
    expect(callFailure(failed({ status, httpRequestId: null })).detail).toEqual(replace);
  }
});

test('where nobody could be asked nothing was refused', () => {
  expect(reported({ status: null, errorCode: 'connection_failed', sent: false })).toEqual([6, 'Why.']);
  expect(reported({ status: null, errorCode: 'aborted' })).toEqual([130, 'Why.']);
});

test('what may be done is not known, whatever the status', () => {
  expect(reported({ status: null, errorCode: 'connection_failed' })).toEqual(unknown);
  expect(reported({ status: 503, outcomeUnknown: true })).toEqual(unknown);
  expect(reported({ status: 404, idempotencyKey: 'key' })).toEqual(unknown);
  for (const status of [500, 504]) expect(reported({ status })).toEqual(unknown);
});

test.each<OperationId>(['getQueue', 'listRequests', 'peekMail', 'fetchMailAttachment'])(
  'nothing is left open of %s, which changes nothing',
  (operationId) => {
    expect(reported({ status: 500, operationId })).toEqual([1, 'Refused: Why.']);
    expect(callExitCode(failed({ status: null, errorCode: 'timeout', operationId }))).toBe(6);
  },
);

test('what is done all the same is neither', () => {
  expect(reported({ status: 502, done: true, idempotencyKey: 'key' })).toEqual([4, 'Why.']);
});

test.each([
  ['is done all the same', 'true', 4],
  ['may be done', 'unknown', 3],
  ['is not done', null, 1],
])('what a server says by its header that it %s has an exit code of its own', (_what, done, exitCode) => {
  const detail = 'As the server says.';
  const refused = new HoumaoError({
    status: 503,
    errorCode: 'unavailable',
    operationId: 'detachGateway',
    detail,
    headers: new Headers(done === null ? {} : { 'X-Houmao-Done': done }),
  });
  expect(callFailure(refused)).toMatchObject({ exitCode, message: detail });
});
