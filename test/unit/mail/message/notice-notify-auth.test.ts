import { expect, test } from 'vitest';
import { notifyAuth } from '../../../../src/mail/message/notice.js';

const nothing = { token: null, iss: null, iat: null, exp: null };

test('the scheme none takes a token, trimmed', () => {
  expect(notifyAuth({ ...nothing, scheme: 'none', token: ' t ' })).toEqual({
    ...nothing,
    scheme: 'none',
    token: 't',
  });
});

test.each(['shared-token', 'hmac-sha256', 'jws'] as const)(
  '%s has its name and nothing else yet',
  (scheme) => {
    expect(() => notifyAuth({ ...nothing, scheme })).toThrow(
      expect.objectContaining({ field: 'notify_auth.scheme', rule: `${scheme}: verifier not yet supported` }),
    );
  },
);

test.each(['token', 'iss', 'iat', 'exp'])('a blank %s is refused', (key) => {
  expect(() => notifyAuth({ ...nothing, scheme: 'none', [key]: ' ' })).toThrow(
    expect.objectContaining({ field: `notify_auth.${key}`, rule: 'must not be blank' }),
  );
});
