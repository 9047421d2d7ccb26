import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notifyHeader, readNotifyHeader } from '../../../../../src/mail/jmap/mail/email-headers.js';
import { notifyAuth, notifyBlock } from '../../../../../src/mail/message/notice.js';

const nothing = { notifyBlock: null, notifyAuth: null };
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 600 })
  .filter((value) => !value.includes('\0') && value.trim() !== '' && !/\p{Surrogate}/u.test(value));

test('a notice comes back as it was, however a server folds the line', () => {
  const placement = fc.constantFrom('append' as const, 'prepend' as const);
  const token = fc.option(fc.string({ minLength: 1 }).filter((value) => /^[!-~]+$/.test(value)));
  fc.assert(
    fc.property(fc.option(fc.tuple(text, placement)), fc.option(token), (block, auth) => {
      const metadata = {
        notifyBlock: block && notifyBlock(...block),
        notifyAuth:
          auth === null ? null : notifyAuth({ scheme: 'none', token: auth, iss: null, iat: null, exp: null }),
      };
      const header = notifyHeader(metadata);
      for (const folded of [header, header?.replaceAll(' ', '\r\n\t') ?? null])
        expect(readNotifyHeader(folded)).toEqual(metadata);
      expect(header ?? '').toMatch(/^[\w-]{0,60}(?: [\w-]{1,60})*$/);
    }),
  );
});

test('nothing to say is no header', () => {
  expect(notifyHeader(nothing)).toBeNull();
});

const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  ['nonsense'],
  [''],
  [coded(3)],
  [coded({ block: { text: '', placement: 'append' }, auth: null })],
  [coded({ block: { text: 'a\0b', placement: 'append' }, auth: null })],
  [coded({ block: { text: 'x', placement: 'elsewhere' }, auth: null })],
  [coded({ block: { text: 'x', placement: 'append' }, auth: { scheme: 'jws' } })],
])('what somebody else wrote there is nothing: %s', (header) => {
  expect(readNotifyHeader(header)).toEqual(nothing);
});

test('a notice from elsewhere that is too long is cut as any other', () => {
  const header = coded({ block: { text: 'x'.repeat(2000), placement: 'append' }, auth: null });
  expect(readNotifyHeader(header).notifyBlock?.text).toHaveLength(512);
});
