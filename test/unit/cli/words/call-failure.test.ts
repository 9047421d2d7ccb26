import { HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { callFailure } from '../../../../src/cli/words/call-failure.js';

const detail = 'The gateway was ended; its status cannot be told.';
const refused = (done: string | null) =>
  new HoumaoError({
    ...{ status: 503, errorCode: 'unavailable', operationId: 'detachGateway', detail },
    headers: new Headers(done === null ? {} : { 'X-Houmao-Done': done }),
  });

test.each([
  ['is done all the same', 'true', 4],
  ['may be done', 'unknown', 3],
  ['is not done', null, 1],
])('what the server says that it %s has an exit code of its own', (_what, done, exitCode) => {
  expect(callFailure(refused(done))).toMatchObject({ exitCode, message: detail });
});
