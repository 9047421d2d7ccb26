import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keysOf } from '../../../console/src/terminal-keys.js';

const named = (name: string) => ({ sequence: `<[${name}]>`, escape_special_keys: false });
const literal = (sequence: string) => ({ sequence, escape_special_keys: true });

test('keys of a keyboard are the keys that the contract names', () => {
  const keys: readonly (readonly [string, string])[] = [
    ['\r', 'Enter'],
    ['\x1b', 'Escape'],
    ['\x7f', 'BSpace'],
    ['\t', 'Tab'],
    ['\x1b[A', 'Up'],
    ['\x1bOB', 'Down'],
    ['\x03', 'C-c'],
  ];
  for (const [data, name] of keys) expect(keysOf(data, '')).toEqual({ calls: [named(name)], held: '' });
});

test('keys without a name are left out', () => {
  for (const data of ['\x1b[5~', '\x01', '\x1bOP']) expect(keysOf(data, '')).toEqual({ calls: [], held: '' });
});

test('text is literal, also where it looks like a key, or has a name that every object knows', () => {
  for (const text of ['<[Enter]>', 'constructor']) expect(keysOf(text, '').calls).toEqual([literal(text)]);
});

test('blanks wait for the next key, since the contract takes none alone', () => {
  expect(keysOf(' ', '')).toEqual({ calls: [], held: ' ' });
  expect(keysOf('b', ' ')).toEqual({ calls: [literal(' b')], held: '' });
  expect(keysOf('\r', ' ').calls).toEqual([{ sequence: ' <[Enter]>', escape_special_keys: false }]);
});

test('a paste is text with its lines, without the marks around it', () => {
  expect(keysOf('\x1b[200~one\rtwo\x1b[201~', '').calls).toEqual([
    literal('one'),
    named('Enter'),
    literal('two'),
  ]);
});

test('whatever is typed, each call has something in it, and no visible character is lost', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', ' '), (data, held) => {
      fc.pre(!data.startsWith('\x1b'));
      const { calls, held: left } = keysOf(data, held);
      for (const { sequence } of calls) expect(sequence).toMatch(/\S/);
      const visible = (text: string): string => text.replace(/\s/g, '');
      const sent = calls.filter((call) => call.escape_special_keys).map(({ sequence }) => sequence);
      expect(visible(sent.join(''))).toBe(visible(data.replace(/\p{Cc}/gu, '')));
      expect(left.trim()).toBe('');
    }),
  );
});
