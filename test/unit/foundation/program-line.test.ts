import { expect, test } from 'vitest';
import { programLine, withoutTime, wordsOfLine } from '../../../src/foundation/program-line.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const clock = new VirtualClock('2026-03-13T08:24:42.900Z');

test('what a program says is one line with a time, a stack too', () => {
  const line = programLine('houmao-gateway', 'Error: no\n    at one (a.js:1)\n    at two', clock);
  expect(line).toBe('2026-03-13T08:24:42+00:00 houmao-gateway: Error: no at one (a.js:1) at two');
  expect(withoutTime(line)).toBe('houmao-gateway: Error: no at one (a.js:1) at two');
});

test('another program says it without the name of the one that said it, as a sentence', () => {
  const line = programLine('houmao-gateway', 'cannot listen: the port 80 is taken', clock);
  expect(wordsOfLine(line)).toBe('Cannot listen: the port 80 is taken');
  expect(wordsOfLine('houmao-server: unknown option')).toBe('Unknown option');
  expect(wordsOfLine('')).toBe('');
});

test('what has no time stays as it is', () => {
  expect(withoutTime('error: unknown option')).toBe('error: unknown option');
});
