import { expect, test } from 'vitest';
import { refused } from '../../../../src/server/turns/gateway-turns.js';

test.each([
  [409, {}, 'busy'],
  [412, {}, 'other_turn'],
  [422, {}, 'invalid'],
  [422, { 'x-houmao-error-code': 'request_refused' }, 'invalid'],
  [422, { 'x-houmao-error-code': 'key_reused' }, 'key_reused'],
  [503, {}, 'unavailable'],
])('a refusal of the gateway with %i and %j is %s, in its own words', (status, headers, code) => {
  expect(refused({ status, headers, detail: 'Of another version.' })).toMatchObject({
    refused: code,
    detail: 'Of another version.',
  });
});
