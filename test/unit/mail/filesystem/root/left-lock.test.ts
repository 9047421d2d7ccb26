import { expect, test } from 'vitest';
import { isLeftBehind } from '../../../../../src/mail/filesystem/root/left-lock.js';

const minutes = 60_000;
const dead = () => false;
const line = 'pid=4711 acquired_at_utc=2026-01-01T00:00:00.000000+00:00';

test.each([
  ['old, and its pid is nobody’s', line, 11 * minutes, dead, true],
  ['old, but its pid is somebody’s', line, 24 * 60 * minutes, () => true, false],
  ['its pid is nobody’s, but it is young', line, 9 * minutes, dead, false],
  ['of the future', line, -20 * minutes, dead, false],
  ['without a pid', 'held by somebody', 24 * 60 * minutes, dead, false],
  ['empty', '', 24 * 60 * minutes, dead, false],
  ['with a pid that is no number', 'pid=x acquired_at_utc=y', 24 * 60 * minutes, dead, false],
])('%s', (_, text, ageMilliseconds, isRunning, left) => {
  expect(isLeftBehind({ line: text, ageMilliseconds }, isRunning)).toBe(left);
});

test('the pid that is asked for is the one of the line', () => {
  const asked: number[] = [];
  isLeftBehind({ line, ageMilliseconds: 11 * minutes }, (pid) => asked.push(pid) > 0);
  expect(asked).toEqual([4711]);
});
