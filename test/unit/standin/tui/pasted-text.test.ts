import { describe, expect, test } from 'vitest';
import { composerText, placeholderOf, withoutBidi } from '../../../../standin/src/tui/pasted-text.js';

describe('text in the box', () => {
  test.each([
    ['as\rtmux sends\rlines', 'as\ntmux sends\nlines'],
    ['cr\r\nlf', 'cr\n\nlf'],
    ['two\u2028lines', 'two\nlines'],
    ['col1\tcol2', 'col1    col2'],
    ['bell\u0007esc\u001b[31mred\u001b[0m del\u007f', 'bellescred del'],
    ['no\u200bwidth\ufeff\u{e0041}', 'nowidth'],
    ['  outer blanks  ', '  outer blanks  '],
    ['e\u0301 漢 👩‍👩‍👧', 'e\u0301 漢 👩‍👩‍👧'],
  ])('%j becomes %j', (raw, text) => {
    expect(composerText(raw)).toBe(text);
  });

  test('is asked about when it turned the direction of writing', () => {
    expect(withoutBidi('a\u202eb\u2066c')).toEqual({ text: 'abc', removed: 2 });
    expect(withoutBidi('abc')).toEqual({ text: 'abc', removed: 0 });
  });

  test.each([
    ['one', null],
    ['one\ntwo\nthree', null],
    ['x'.repeat(800), null],
    ['a\n\nb\nc', '[Pasted text #2 +3 lines]'],
    ['x'.repeat(801), '[Pasted text #2]'],
    [`${'x'.repeat(801)}\ny`, '[Pasted text #2 +1 lines]'],
  ])('a paste of %j stands as %j', (text, placeholder) => {
    expect(placeholderOf(text, 2)).toBe(placeholder);
  });
});
