import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  canonicalPath,
  isBelow,
  linkTarget,
  mailPaths,
  realPathOf,
} from '../../../../../src/mail/filesystem/root/mail-paths.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

test('a path is real also where it is not there yet', () => {
  const folder = realPathOf(temporaryFolder());
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  symlinkSync(join(folder, 'real', 'later'), join(folder, 'dangling'));
  expect(realPathOf(join(folder, 'link'))).toBe(join(folder, 'real'));
  expect(realPathOf(join(folder, 'link', 'a', 'b'))).toBe(join(folder, 'real', 'a', 'b'));
  expect(realPathOf(join(folder, 'dangling', 'c'))).toBe(join(folder, 'real', 'later', 'c'));
  expect(realPathOf(join(folder, 'nowhere', '..', 'link'))).toBe(join(folder, 'real'));
  expect(linkTarget(join(folder, 'link'))).toBe(join(folder, 'real'));
  expect([linkTarget(folder), linkTarget(join(folder, 'nothing'))]).toEqual([null, null]);
});

test('a link that leads to itself is an error and no endless loop', () => {
  const folder = temporaryFolder();
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  expect(() => realPathOf(join(folder, 'loop', 'x'))).toThrow(/ELOOP/);
});

test('below is what has the folder in front of it, and not its name alone', () => {
  expect([isBelow('/a/b', '/a'), isBelow('/ab', '/a'), isBelow('/a', '/a')]).toEqual([true, false, false]);
  expect([isBelow('/a/../b', '/a'), isBelow('/a/b/../..', '/a'), isBelow('/b', '/a')]).toEqual([
    ...[false, false, false],
  ]);
  expect([isBelow('/a/..b', '/a'), isBelow('/b', '/')]).toEqual([true, true]);
});

test('the day of a message is that of its time, whatever its id says', () => {
  const messageId = `msg-20250101T000000Z-${'a'.repeat(32)}`;
  expect(canonicalPath(mailPaths('/m'), { messageId, createdAtUtc: '2026-03-13T09:15:30Z' })).toBe(
    `/m/messages/2026-03-13/${messageId}.md`,
  );
});
