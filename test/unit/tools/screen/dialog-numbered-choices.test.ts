import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberedChoices } from '../../../../src/tools/screen/dialog.js';

const choices = (...rows: string[]) => numberedChoices(rows, '›●');

describe('numbered choices', () => {
  it.each<[string, string[], { first: number; last: number }]>([
    ['the first is marked', ['› 1. a', '  2. b', '  3. c'], { first: 0, last: 2 }],
    ['the last is marked', ['x', '  1. a', '  2. b', '› 3. c', 'y'], { first: 1, last: 3 }],
    [
      'with descriptions',
      ['› 1. a', '     of this', '', '  2. b', '     of that', '', '', '  3. c'],
      { first: 0, last: 7 },
    ],
    ['from the tenth on', ['  9. i', '● 10. j', '  11. k'], { first: 0, last: 2 }],
    ['the later list', ['› 1. a', '  2. b', 'text', '› 1. c', '  2. d'], { first: 3, last: 4 }],
    ['not what stands below with another number', ['› 1. a', '  2. b', '  4. d'], { first: 0, last: 1 }],
    ['not what stands far below', ['› 1. a', '  2. b', '', '', '', '', '  3. c'], { first: 0, last: 1 }],
  ])('%s', (_, rows, place) => {
    expect(choices(...rows)).toMatchObject(place);
  });

  it.each<[string, string[]]>([
    ['nothing', []],
    ['none is marked', ['  1. a', '  2. b']],
    ['only one', ['› 1. a']],
    ['another mark', ['❯ 1. a', '  2. b']],
    ['a word before the number', ['› see 1. a', '  2. b']],
    ['no text', ['› 1.', '  2.']],
    ['a version', ['› 1.2 a', '  2.2 b']],
    ['numbers that do not follow', ['› 1. a', '  3. c']],
  ])('%s: none', (_, rows) => {
    expect(choices(...rows)).toBeNull();
  });

  it('have their numbers, labels and the mark', () => {
    expect(choices('  1. Yes ', '     and more of it', '› 2. No, and tell (esc)')?.choices).toEqual([
      { number: 1, label: 'Yes', marked: false },
      { number: 2, label: 'No, and tell (esc)', marked: true },
    ]);
  });

  it('lie within the rows, the marked one among them', () => {
    const row = fc.constantFrom('› 1. a', '› 2. b', '  1. a', '  2. b', '  3. c', '', 'text', '› text');
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const place = choices(...rows);
        if (place === null) return;
        expect(place.first).toBeLessThan(place.last);
        expect(rows.slice(place.first, place.last + 1).some((each) => /^› [12]/.test(each))).toBe(true);
        expect(place.choices.filter(({ marked }) => marked).length).toBeGreaterThan(0);
        const numbers = place.choices.map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
      }),
    );
  });
});
