import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StyledRun, toStyledRows } from '../../../../src/tools/screen/styled-rows.js';

const textsOf = (capture: string): string[] => toStyledRows(capture).map((row) => row.text);
const firstRun = (capture: string): StyledRun => toStyledRows(capture)[0]!.runs[0]!;
const plain = { dim: false, inverse: false, otherAttribute: false, foreground: null, background: null };

describe('rows of a capture', () => {
  it('end at LF and CRLF only', () => {
    expect(textsOf('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
    for (const character of ['\u2028', '\u2029', '\u000b', '\u000c', '\u0085', '\u001c']) {
      expect(textsOf(`a${character}b`)).toEqual([`a${character}b`]);
    }
  });

  it('lose blanks at their end, and the empty ones at the end are left out', () => {
    expect(textsOf(' a \u00a0\t\n\n b\n   \n\u001b[2m\n')).toEqual([' a', '', ' b']);
    expect(toStyledRows('')).toEqual([]);
  });

  it.each([
    ['CSI with colon parameters', 'a\u001b[4:3mb'],
    ['CSI with private parameters', 'a\u001b[?25lb'],
    ['CSI with an intermediate', 'a\u001b[2 qb'],
    ['OSC that ends with BEL', 'a\u001b]0;title\u0007b'],
    ['OSC that ends with ST', 'a\u001b]8;;http://somewhere/\u001b\\b'],
    ['OSC that ends with the C1 ST', 'a\u001b]0;title\u009cb'],
    ['DCS', 'a\u001bPq#0\u001b\\b'],
    ['a character set', 'a\u001b(0b'],
    ['a short escape', 'a\u001b7b'],
    ['SO and SI', 'a\u000e\u000fb'],
  ])('have no %s', (_name, capture) => {
    expect(textsOf(capture)).toEqual(['ab']);
  });

  it('keep what follows a sequence that is cut off', () => {
    expect(textsOf('a\u001b]0;title\nb')).toEqual(['a', 'b']);
    expect(textsOf('a\u001b[1;\nb')).toEqual(['a', 'b']);
    expect(textsOf('a\u001b]0;title\u001b[1mb')).toEqual(['ab']);
    expect(textsOf('a\u001b')).toEqual(['a']);
  });

  it('have U+00A0 as a blank', () => {
    expect(textsOf('❯\u00a0text')).toEqual(['❯ text']);
  });
});

describe('styles', () => {
  it('go on in the next row', () => {
    const [, second] = toStyledRows('\u001b[2;38;5;246mone\ntwo');
    expect(second?.runs).toEqual([{ ...plain, text: 'two', dim: true, foreground: '5;246' }]);
  });

  it.each([
    ['38;2;255;0;1', { foreground: '2;255;0;1' }],
    ['38:2::255:0:1', { foreground: '2;255;0;1' }],
    ['38:2:255:0:1', { foreground: '2;255;0;1' }],
    ['38:5:231', { foreground: '5;231' }],
    ['31', { foreground: '31' }],
    ['97;104', { foreground: '97', background: '104' }],
    ['48;5;237;2', { background: '5;237', dim: true }],
    ['58;5;1;2', { dim: true }],
    ['58:2::1:1:1;7', { inverse: true }],
    ['38;5', {}],
    ['4:3', { otherAttribute: true }],
    ['4:0', {}],
    ['1;2;22', {}],
    ['1;3;22', { otherAttribute: true }],
    ['1;3;22;23', {}],
    ['7;27', {}],
    ['31;39;41;49', {}],
    ['1;2;7;31;41;', {}],
    ['31;;2', { dim: true }],
    ['999', {}],
  ])('ESC[%sm', (parameters, style) => {
    expect(firstRun(`\u001b[${parameters}mx`)).toEqual({ ...plain, text: 'x', ...style });
  });

  it('are not set by other sequences that end in m', () => {
    expect(firstRun('\u001b[>4;2mx')).toEqual({ ...plain, text: 'x' });
    expect(firstRun('\u001b[2 mx')).toEqual({ ...plain, text: 'x' });
  });
});

const pieces = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '\u00a0',
    '\u001b',
    '[',
    ']',
    '\\',
    '\u0007',
    '\u009c',
    '0',
    ';',
    ':',
    'm',
  ],
  ...[
    '\u001b[0m',
    '\u001b[m',
    '\u001b[0;2m',
    '\u001b[1m',
    '\u001b[38;5;9m',
    '\u001b[48:2::1:2:3m',
    '\u001b]8;;u',
  ],
  ...['\u000e', '\u2028', 'text', '❯', '\u001bP', '\u001b(', '\u001b[0'],
);
const captures = fc
  .array(fc.oneof({ weight: 4, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 3 })))
  .map((parts) => parts.join(''));

interface WrittenRun {
  run: StyledRun;
  separator: ';' | ':';
}
const colours = fc.option(fc.integer({ min: 0, max: 255 }).map((index) => `5;${index}`));
const styledRuns: fc.Arbitrary<WrittenRun> = fc.record({
  run: fc.record({
    text: fc.constantFrom('a', 'bc', '❯', '한'),
    dim: fc.boolean(),
    inverse: fc.boolean(),
    otherAttribute: fc.boolean(),
    foreground: colours,
    background: colours,
  }),
  separator: fc.constantFrom<';' | ':'>(';', ':'),
});

function written({ run, separator }: WrittenRun): string {
  const colour = (code: number, value: string | null): string[] =>
    value === null ? [] : [`${code};${value}`.replaceAll(';', separator)];
  const parameters = [
    '0',
    ...(run.dim ? ['2'] : []),
    ...(run.inverse ? ['7'] : []),
    ...(run.otherAttribute ? ['3'] : []),
    ...colour(38, run.foreground),
    ...colour(48, run.background),
  ];
  return `\u001b[${parameters.join(';')}m${run.text}`;
}

const byCharacter = (run: StyledRun): StyledRun[] => [...run.text].map((text) => ({ ...run, text }));

describe('any capture', () => {
  it('gives rows whose text has no escape and is what the runs say', () => {
    fc.assert(
      fc.property(captures, (capture) => {
        for (const row of toStyledRows(capture)) {
          expect(
            [...row.text].filter((character) => '\n\u00a0\u000e\u000f\u001b'.includes(character)),
          ).toEqual([]);
          expect(row.text).not.toMatch(/[ \t]$/);
          expect(row.runs.map((run) => run.text).join('')).toBe(row.text);
          expect(row.runs.every((run) => run.text !== '')).toBe(true);
        }
      }),
    );
  });

  it('gives the last rows as it gives all of them', () => {
    fc.assert(
      fc.property(captures, fc.integer({ min: 1, max: 6 }), (capture, count) => {
        expect(toStyledRows(capture, count)).toEqual(toStyledRows(capture).slice(-count));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the runs that were written, however the styles are written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(styledRuns, { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        (rows) => {
          const read = toStyledRows(`${rows.map((row) => row.map(written).join('')).join('\n')}\n$`);
          const characters = read.slice(0, -1).map((row) => row.runs.flatMap(byCharacter));
          expect(characters).toEqual(rows.map((row) => row.map(({ run }) => run).flatMap(byCharacter)));
        },
      ),
    );
  });
});
