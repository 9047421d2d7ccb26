import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorCodeOf, keyOfAnotherBody, wallCodeOf } from '../../../src/contract/refusals.js';

const items = [{ type: 'missing', loc: ['body'], msg: 'Field required' }];

test.each([
  ['one code for a sentence', ['unknown_request'], 'No request.', 'unknown_request'],
  ['items of broken rules', ['validation_failed', 'keys_refused'], items, 'validation_failed'],
  ['a sentence beside them', ['validation_failed', 'keys_refused'], 'No terminal.', 'keys_refused'],
  ['a key of another body', ['request_refused', 'key_reused'], keyOfAnotherBody, 'key_reused'],
  ['another sentence there', ['request_refused', 'key_reused'], 'No model.', 'request_refused'],
  ['that sentence where no key is', ['mail_refused'], keyOfAnotherBody, 'mail_refused'],
  ['a refusal with its own', ['not_ready', 'unavailable'], { error_code: 'not_ready' }, 'not_ready'],
  ['a sentence that may be either', ['unknown_agent', 'unknown_turn'], 'Not here.', null],
  ['an object without one', ['not_ready'], { detail: 'x' }, null],
] as const)('%s', (_what, codes, detail, code) => {
  expect(errorCodeOf(codes, detail)).toBe(code);
});

test('a sentence is never reported as a broken rule, and a code is one of those there are', () => {
  const codes = fc.uniqueArray(fc.constantFrom('validation_failed', 'a', 'b', 'c'));
  fc.assert(
    fc.property(codes, fc.string(), (known, detail) => {
      const code = errorCodeOf(known, detail);
      expect(code).not.toBe('validation_failed');
      if (code !== null) expect(known).toContain(code);
    }),
  );
});

test('a wall has a code for each status that it answers, and none for others', () => {
  expect(
    [400, 401, 403, 404, 405, 408, 413, 415, 417, 421, 431, 500, 503].map((status) => wallCodeOf(status, '')),
  ).toEqual([
    ...[
      'bad_request',
      'token_refused',
      'caller_refused',
      'not_found',
      'method_not_allowed',
      'request_timeout',
    ],
    ...[
      'body_too_large',
      'not_json',
      'expectation_failed',
      'host_refused',
      'headers_too_large',
      'internal_fault',
    ],
    'unavailable',
  ]);
  expect(wallCodeOf(422, items)).toBe('validation_failed');
  expect(wallCodeOf(416, 'Range Not Satisfiable')).toBeNull();
});
