import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyPreview } from '../../../../src/mail/message/mail-text.js';

test('the words of a body stand on one line', () => {
  expect(bodyPreview(' a\n\n\tb\u0085c\u001cd\u00a0\ufeffe ')).toBe('a b c d \ufeffe');
  expect(bodyPreview('')).toBe('');
});

test('240 code points stay, of more 237 and three dots', () => {
  expect(bodyPreview('😀'.repeat(240))).toBe('😀'.repeat(240));
  expect(bodyPreview('😀'.repeat(241))).toBe(`${'😀'.repeat(237)}...`);
});

test('no body makes more of it, or breaks a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (body) => {
      const preview = bodyPreview(body);
      expect([...preview].length).toBeLessThanOrEqual(240);
      expect(preview).not.toMatch(/[\n\r\t]/);
      expect(Buffer.from(preview).toString()).toBe(preview);
    }),
  );
});
