import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLock } from '../../../src/foundation/directory-lock.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();

describe('a lock', () => {
  it('has one holder, and another one after it', () => {
    const path = join(folder, 'run', 'lock');
    const first = tryLock(path);
    expect(first).not.toBeNull();
    expect(tryLock(path)).toBeNull();
    first?.release();
    const second = tryLock(path);
    expect(second).not.toBeNull();
    second?.release();
  });

  it('keeps two folders apart', () => {
    const locks = ['a', 'b'].map((name) => tryLock(join(folder, name, 'lock')));
    expect(locks.every((lock) => lock !== null)).toBe(true);
    for (const lock of locks) lock?.release();
  });

  it('a file that is no lock is a fault, not a lock that a process holds', () => {
    const path = join(folder, 'other-file');
    writeFileSync(path, 'this is the diary of somebody, not a lock file\n'.repeat(40));
    chmodSync(path, 0o600);
    expect(() => tryLock(path)).toThrow();
    expect(readFileSync(path, 'utf8')).toContain('diary');
  });
});
