import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandLine } from '../../../src/terminal/control-lines.js';
import {
  ControlCharacter,
  type KeySegment,
  keyNames,
  parseKeySequence,
  UnknownKey,
  withOneEnter,
} from '../../../src/terminal/terminal-input.js';

const written = (segments: readonly KeySegment[]): string =>
  segments.map((segment) => ('key' in segment ? `<[${segment.key}]>` : segment.text)).join('');

const name = fc.constantFrom(...keyNames);
/** Text that may hold the signs of a key, and pieces of keys. */
const text = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('<', '[', ']', '>', '<[', ']>', ' ', 'Enter', '<[Enter', '<[ Enter ]>'),
    ),
  )
  .map((parts) => parts.join(''));
const sequence = fc
  .array(
    fc.oneof(
      text,
      name.map((key) => `<[${key}]>`),
    ),
  )
  .map((parts) => parts.join(''));

describe('a key sequence', () => {
  test.each<[string, KeySegment[]]>([
    ['/model<[Enter]><[Down]>', [{ text: '/model' }, { key: 'Enter' }, { key: 'Down' }]],
    ['<[<[Enter]>', [{ text: '<[' }, { key: 'Enter' }]],
    ['<[ Enter ]>', [{ text: '<[ Enter ]>' }]],
    ['<[]>', [{ text: '<[]>' }]],
    ['<[Ent er]>', [{ text: '<[Ent er]>' }]],
    ['<[C-u]>漢', [{ key: 'C-u' }, { text: '漢' }]],
    ['', []],
  ])('%j', (given, segments) => {
    expect(parseKeySequence(given)).toEqual(segments);
  });

  test.each(['<[escape]>', 'typed <[F1]>', '<[C-x]><[Enter]>', '<[Enter]><[enter]>'])(
    '%j names a key that cannot be sent',
    (given) => {
      expect(() => parseKeySequence(given)).toThrow(UnknownKey);
      expect(parseKeySequence(given, { literal: true })).toEqual([{ text: given }]);
    },
  );

  test('the refusal quotes the key and lists the others', () => {
    expect(() => parseKeySequence('a<[F1]>')).toThrow(
      'The key <[F1]> cannot be sent; supported are BSpace, C-c, C-d, C-u, C-z, Down, Enter, Escape, Left, Right, Tab, Up.',
    );
  });

  test.each([
    ['a\u0001b', '0001'],
    ['\u007f', '007F'],
    ['\u0085', '0085'],
    ['typed\r', '000D'],
    ['\u001b[A', '001B'],
    ['<[\u0001]>', '0001'],
    ['<[F1]>\u0002', '0002'],
  ])('%j has a control character, which is named and refuses the whole, literal or not', (given, code) => {
    for (const literal of [false, true]) {
      expect(() => parseKeySequence(given, { literal })).toThrow(ControlCharacter);
      expect(() => parseKeySequence(given, { literal })).toThrow(
        `The sequence has the control character U+${code}; it may have tab and line feed only, and names keys, such as <[C-c]>.`,
      );
    }
  });

  test('tab and line feed are text', () => {
    expect(parseKeySequence('a\tb\nc<[Enter]>')).toEqual([{ text: 'a\tb\nc' }, { key: 'Enter' }]);
  });

  test('whatever can be read can be written to tmux', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        let segments: KeySegment[];
        try {
          segments = parseKeySequence(given, { literal: true });
        } catch (error) {
          expect(error).toBeInstanceOf(ControlCharacter);
          return;
        }
        for (const segment of segments)
          if ('text' in segment) expect(() => commandLine([segment.text])).not.toThrow();
      }),
    );
  });

  test('every key that the refusal lists can be sent', () => {
    expect(new UnknownKey('x').message).toContain(`supported are ${keyNames.join(', ')}.`);
  });

  test('loses nothing: what is read, written again, is the sequence; no text in it holds a key', () => {
    fc.assert(
      fc.property(sequence, (given) => {
        let segments: KeySegment[];
        try {
          segments = parseKeySequence(given);
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownKey);
          return;
        }
        expect(written(segments)).toBe(given);
        for (const [index, segment] of segments.entries()) {
          if ('key' in segment) continue;
          expect(segment.text).not.toBe('');
          expect(segment.text).not.toMatch(/<\[[^\s<>[\]]+\]>/);
          expect(segments[index + 1] ?? { key: 'Enter' }).toHaveProperty('key');
        }
      }),
    );
  });

  test('taken literally is one text, whatever it holds', () => {
    fc.assert(
      fc.property(sequence, (given) => {
        expect(parseKeySequence(given, { literal: true })).toEqual(given === '' ? [] : [{ text: given }]);
      }),
    );
  });

  test('with one Enter ends with exactly one, and keeps what is before', () => {
    fc.assert(
      fc.property(
        text.filter((given) => !given.endsWith('<[Enter]>')),
        fc.nat(3),
        (given, enters) => {
          expect(withOneEnter(given + '<[Enter]>'.repeat(enters))).toBe(`${given}<[Enter]>`);
        },
      ),
    );
  });
});
