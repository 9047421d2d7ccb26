import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typeableText } from '../../../src/terminal/terminal-input.js';

test.each([
  ['plain text\n\twith a tab', 'plain text\n\twith a tab', 0],
  ['line\r\nends\rof all kinds\n', 'line\nends\nof all kinds\n', 0],
  ['a\u001b[201~b\u001b[200~c', 'abc', 12],
  ['a\u009b201~b', 'ab', 5],
  ['\u001b[31mred\u001b[0m', '[31mred[0m', 2],
  ['a\u0000\u0003\u0007\u007f\u0085b', 'ab', 5],
  ['漢字 e\u0301 👩‍👩‍👧', '漢字 e\u0301 👩‍👩‍👧', 0],
])('%j becomes %j', (prompt, text, removed) => {
  expect(typeableText(prompt)).toEqual({ text, removed });
});

test('whatever it is, no key and no end of the paste is left, and what is left is not touched again', () => {
  const part = fc.constantFrom(
    '\u001b',
    '[20',
    '1~',
    '\u009b',
    '\r',
    '\n',
    '\t',
    '\u0007',
    'x',
    'é',
    '\u001b[201~',
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      (prompt) => {
        const { text } = typeableText(prompt);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is looked for.
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(typeableText(text)).toEqual({ text, removed: 0 });
      },
    ),
  );
});
