import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortThread, usableNames } from '../../../../../src/mail/jmap/mail/email-headers.js';

test('names of messages that could be something else in a header are left out', () => {
  const names = ['a@b', '', 'a b@c', 'a\r\nBcc: x', '<a@b', 'ü@b', 'x'.repeat(901), 'msg-1@example.test'];
  expect(usableNames(names)).toEqual(['a@b', 'msg-1@example.test']);
  expect(usableNames(null)).toEqual([]);
});

test('a long thread is named by its first message and the newest', () => {
  const names = Array.from({ length: 5000 }, (_, at) => `ref-${at}@world.test`);
  const short = shortThread(names);
  expect(short[0]).toBe('ref-0@world.test');
  expect(short.at(-1)).toBe('ref-4999@world.test');
  expect(short.length).toBeGreaterThan(300);
  expect(shortThread([])).toEqual([]);
});

test('a header of any thread has an end, and one that is short has all of it in its order', () => {
  const name = fc.nat({ max: 899 }).map((length) => 'x'.repeat(length + 1));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), (names) => {
      const short = shortThread(names);
      const header = short.map((each) => `<${each}>`).join(' ');
      expect(header.length).toBeLessThanOrEqual(8002);
      const isWhole = names.reduce((sum, each) => sum + each.length + 3, -3) <= 8000;
      if (isWhole) expect(short).toEqual(names);
      else expect(short.slice(1)).toEqual(names.slice(names.length - short.length + 1));
    }),
  );
});
