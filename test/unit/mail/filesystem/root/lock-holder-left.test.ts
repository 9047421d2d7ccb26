import { expect, test } from 'vitest';
import { isGone, isLeftBehind } from '../../../../../src/mail/filesystem/root/lock-holder.js';

const minutes = 60_000;
const dead = () => true;
const line = 'pid=4711 acquired_at_utc=2026-01-01T00:00:00.000000+00:00';

test.each([
  ['old, and its pid is nobody’s', line, 11 * minutes, dead, true],
  ['old, but its pid is somebody’s', line, 24 * 60 * minutes, () => false, false],
  ['its pid is nobody’s, but it is young', line, 9 * minutes, dead, false],
  ['of the future', line, -20 * minutes, dead, false],
  ['without a pid', 'held by somebody', 24 * 60 * minutes, dead, false],
  ['empty', '', 24 * 60 * minutes, dead, false],
  ['with a pid that is no number', 'pid=x acquired_at_utc=y', 24 * 60 * minutes, dead, false],
])('%s', (_, text, ageMilliseconds, isUnheld, left) => {
  expect(isLeftBehind({ line: text, ageMilliseconds }, isUnheld)).toBe(left);
});

test('the pid that is asked for is the one of the line', () => {
  const asked: number[] = [];
  isLeftBehind({ line, ageMilliseconds: 11 * minutes }, (pid) => asked.push(pid) > 0);
  expect(asked).toEqual([4711]);
});

test.each([
  ['of here that has ended', { isHere: true, ended: true, alive: false }, true, true],
  ['of here that is alive', { isHere: true, ended: false, alive: true }, false, false],
  ['of here that nobody can see', { isHere: true, ended: false, alive: false }, false, true],
  ['of another boot or container', { isHere: false, ended: true, alive: false }, false, true],
  [
    'of a system that cannot tell, whose process is alive',
    { isHere: false, ended: false, alive: true },
    false,
    false,
  ],
])('a holder %s', (_, { isHere, ended, alive }, soon, late) => {
  const known = { isHere, hasEnded: () => ended, isAlive: () => alive };
  expect(isGone({ ...known, silentMilliseconds: 9 * minutes })).toBe(soon);
  expect(isGone({ ...known, silentMilliseconds: 11 * minutes })).toBe(late);
});
