import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachmentFileName } from '../../../../src/mail/facade/fetched-file.js';

describe('the name of a fetched file', () => {
  test.each([
    ['report.md', 'report.md'],
    ['Bericht für Ännë.pdf', 'Bericht für Ännë.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\evil.exe', 'evil.exe'],
    ['.bashrc', 'bashrc'],
    ['a\nb\u001b[31mc.txt', 'a b_[31mc.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['nul\u0000.txt', 'nul_.txt'],
    ['half \ud83d', 'half _'],
    ['$(id).txt', '__id_.txt'],
    ['`id`; "it\'s" & a|b <c> *?!', '_id__ _it_s_ _ a_b _c_ ___'],
    [' .. ', 'attachment'],
    ['a/', 'attachment'],
    ['', 'attachment'],
    [null, 'attachment'],
    [`${'a'.repeat(148)}. and more`, 'a'.repeat(148)],
    [`${'ä'.repeat(200)}.tar.gz`, `${'ä'.repeat(73)}.gz`],
  ])('of %j is %j', (label, name) => {
    expect(attachmentFileName(label)).toBe(name);
  });

  test('is the name of a visible file in its folder, whatever a sender wrote', () => {
    const shell = '$`;"\'&|<>*?!()';
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', ' ', '\u0000', '\u202e', 'a', '\ud800', '😀', '\n', ...shell),
      }),
      fc.string({ minLength: 150, maxLength: 400, unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(texts, (label) => {
        const name = attachmentFileName(label);
        expect(name).not.toMatch(/^[\s.]|[\s.]$|[/\\]|^$/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
        expect(name).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect([...shell].filter((sign) => name.includes(sign))).toEqual([]);
        expect(Buffer.from(name).toString()).toBe(name);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
      }),
    );
  });
});
