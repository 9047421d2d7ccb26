import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pauseBetween } from '../../../../src/agent/local-terminal/terminal-check.js';
import { type KeySegment, keyNames, parseKeySequence } from '../../../../src/terminal/terminal-input.js';

const pauses = { text: 30, escape: 70 };
const text = { text: '/status' };
const anyKey = fc.constantFrom(...keyNames).map((key): KeySegment => ({ key }));
const otherKey = anyKey.filter((segment) => 'key' in segment && segment.key !== 'Escape');

test('a key waits until the tool has drawn the text before it, and its pause longer', () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      expect(pauseBetween(text, key, pauses)).toEqual({ milliseconds: 30, drawn: true });
    }),
  );
});

test('nothing comes so soon after Escape that it would make another key of it', () => {
  fc.assert(
    fc.property(fc.oneof(anyKey, fc.constant(text)), (next) => {
      expect(pauseBetween({ key: 'Escape' }, next, pauses)).toEqual({ milliseconds: 70, drawn: false });
    }),
  );
});

test('a text after any other key waits, keys follow each other at once', () => {
  fc.assert(
    fc.property(otherKey, anyKey, (former, next) => {
      expect(pauseBetween(former, text, pauses)).toEqual({ milliseconds: 30, drawn: false });
      expect(pauseBetween(former, next, pauses)).toBeNull();
    }),
  );
});

test('a command with its Enter has one pause', () => {
  const [command, enter, ...more] = parseKeySequence('/about<[Enter]>');
  expect(more).toEqual([]);
  expect(pauseBetween(command!, enter!, pauses)).toEqual({ milliseconds: 30, drawn: true });
});
