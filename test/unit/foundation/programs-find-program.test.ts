import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from '../../../src/foundation/programs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const program = (path: string, mode: number): string => {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, '#!/bin/sh\n');
  chmodSync(whole, mode);
  return whole;
};
const first = program('first/agent', 0o755);
const second = program('second/agent', 0o755);
program('first/notes', 0o644);
const notes = program('second/notes', 0o755);
mkdirSync(join(folder, 'first', 'folder'));

const path = `${join(folder, 'first')}:${join(folder, 'second')}`;

test.each<[string, string, string, string | null]>([
  ['a bare name, along the path in its order', 'agent', path, first],
  ['a bare name, past a file that nobody may run', 'notes', path, notes],
  ['a folder is no program', 'folder', path, null],
  ['a bare name that is nowhere', 'nobody', path, null],
  ['a bare name, from an empty part of the path', 'agent', ':/nowhere', null],
  ['an absolute path, whatever the path says', second, '', second],
  ['a path from the directory', 'second/agent', '', second],
  ['a path that is nowhere', './agent', path, null],
])('%s', (_title, name, along, found) => {
  expect(findProgram(name, along, folder)).toBe(found);
});

test('an empty part of the path, and a relative one, count from the directory', () => {
  expect(findProgram('agent', ':/nowhere', join(folder, 'second'))).toBe(second);
  expect(findProgram('agent', 'first', folder)).toBe(first);
});
