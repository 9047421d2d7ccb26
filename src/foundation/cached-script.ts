import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** Loads a CommonJS file and returns its exports. */
export type LoadScript = (path: string) => unknown;

/** Returns the path of a file's compiled code: it contains the file's {@link cacheStamp}, then V8's own data. */
export const cachePath = (path: string): string => `${path}.cache`;

/** Identifies the state of a file, so that its cache is never used for another version of it: V8 itself compares only lengths. */
export function cacheStamp(path: string): Buffer {
  const { size, mtimeMs } = statSync(path);
  const stamp = Buffer.alloc(16);
  stamp.writeDoubleLE(size, 0);
  stamp.writeDoubleLE(mtimeMs, 8);
  return stamp;
}

/**
 * Loads a CommonJS file of ASCII characters as `require` does, with the compiled code that the build had V8 make of it. A cache
 * that is missing, or was made from another file, by another Node or with other flags, is ignored.
 * @param compiled called with the script when it has run.
 */
export function loadCached(path: string, compiled: (script: Script) => void = () => undefined): unknown {
  // One byte per character: V8 would need two for all of them if one were outside Latin-1.
  const source = readFileSync(path, 'latin1');
  const cachedData = usableCache(path);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    ...(cachedData ? { cachedData } : {}),
  });
  const module = { exports: {} as unknown };
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  run(module.exports, createRequire(path), module, path, dirname(path));
  compiled(script);
  return module.exports;
}

function usableCache(path: string): Buffer | null {
  try {
    const file = readFileSync(cachePath(path));
    const stamp = cacheStamp(path);
    return file.subarray(0, stamp.length).equals(stamp) ? file.subarray(stamp.length) : null;
  } catch {
    return null;
  }
}
