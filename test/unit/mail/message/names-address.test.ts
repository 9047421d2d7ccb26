import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import { isAddress, isReserved, parseAddress, parseEntryName } from '../../../../src/mail/message/names.js';

const hex = '0'.repeat(32);

test.each(['a.@b', '1@2', `a@b--${hex}`, 'HOUMAO-gpu@agents.localhost', 'a+b_c-d.e@b-c.d'])(
  '%s is one',
  (text) => {
    expect(isAddress(text)).toBe(true);
    expect(parseAddress(`\u0085 ${text}\n`, 'to')).toBe(text);
  },
);

test.each([
  '',
  'a',
  '@b',
  'a@',
  'a@b_c',
  'é@b',
  'a@b.',
  '_a@b',
  'a@-b',
  'a..b@c',
  'a@b..c',
  'a b@c',
  'a@b@c',
  'a@b\n',
  '../x@y',
  'a/b@c',
  'a@b\0',
])('%j is none', (text) => {
  expect(isAddress(text)).toBe(false);
});

test('what is no address is refused with its field', () => {
  const attempt = () => parseAddress('bob', 'to[1].address');
  expect(attempt).toThrow(MailRefusal);
  expect(attempt).toThrow(expect.objectContaining({ field: 'to[1].address' }));
});

test('no address is a path that leads anywhere', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '@b', '/../a@b', '..@b', 'a@b'),
      (text, end) => {
        const address = text + end;
        if (isAddress(address)) expect(address).toMatch(/^[A-Za-z0-9][\w.+@-]*$/);
      },
    ),
  );
});

test('the namespace of the system is that of one domain, in its own spelling', () => {
  expect(isReserved('HOUMAO-x@houmao.localhost')).toBe(true);
  expect(isReserved('houmao-x@houmao.localhost')).toBe(false);
  expect(isReserved('HOUMAO-x@agents.localhost')).toBe(false);
  expect(isReserved('HOUMAO-x@sub.houmao.localhost')).toBe(false);
});

test('a stashed entry is distinguished from an address that looks like one', () => {
  expect(parseEntryName(`a@b--${hex}`)).toEqual({ address: 'a@b', stashed: true });
  expect(parseEntryName('a@b')).toEqual({ address: 'a@b', stashed: false });
  expect(parseEntryName(`a@b--${hex}0`)).toEqual({ address: `a@b--${hex}0`, stashed: false });
  for (const foreign of ['.DS_Store', 'alice', '.tmp', '-x@b']) expect(parseEntryName(foreign)).toBeNull();
});
