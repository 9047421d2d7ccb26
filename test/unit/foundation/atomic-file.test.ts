import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../../src/foundation/atomic-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();

describe('a file written in one step', () => {
  it('makes its folder, replaces what was there, and leaves nothing beside it', () => {
    const path = join(folder, 'new', 'deep', 'state.json');
    writeFileAtomic(path, 'one, and longer');
    writeFileAtomic(path, 'zwei ü', { durable: true });
    expect(readFileSync(path, 'utf8')).toBe('zwei ü');
    expect(readdirSync(join(folder, 'new', 'deep'))).toEqual(['state.json']);
  });

  it('is for its owner only, by default', () => {
    writeFileAtomic(join(folder, 'private'), 'x');
    writeFileAtomic(join(folder, 'private'), 'y');
    expect(statSync(join(folder, 'private')).mode & 0o777).toBe(0o600);
    writeFileAtomic(join(folder, 'readable'), 'x', { mode: 0o640 });
    expect(statSync(join(folder, 'readable')).mode & 0o777).toBe(0o640);
  });

  it('a reader that holds the old file keeps all of it', () => {
    const path = join(folder, 'inode');
    writeFileAtomic(path, 'old');
    const before = statSync(path).ino;
    writeFileAtomic(path, 'new');
    expect(statSync(path).ino).not.toBe(before);
  });

  it('says what went wrong and cleans up after itself', () => {
    const target = join(folder, 'a-folder');
    mkdirSync(join(target, 'full'), { recursive: true });
    expect(() => writeFileAtomic(target, 'x')).toThrow(/a-folder/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(join(target, 'full'))).toBe(true);
  });
});
