import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type KeySegment,
  keyNames,
  parseKeySequence,
  UnknownKey,
  withOneEnter,
} from '../../../src/terminal/key-sequence.js';

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
