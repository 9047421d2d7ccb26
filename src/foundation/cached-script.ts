import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
 * that is missing, or was made from another file, by another Node or with other flags, is ignored. The files of its own folder that
 * it requires are loaded in the same way, each once.
 * @param compiled called with each script when it has run, and its path.
 */
export function loadCached(
  path: string,
  compiled: (script: Script, path: string) => void = () => undefined,
): unknown {
  const loaded = new Map<string, { readonly exports: unknown }>();
  const load = (file: string): unknown => {
    const known = loaded.get(file);
    if (known) return known.exports;
    const module = { exports: {} as unknown };
    loaded.set(file, module);
    const folder = dirname(file);
    const others = createRequire(file);
    const require = (id: string): unknown =>
      id.startsWith('./') && id.endsWith('.cjs') ? load(join(folder, id)) : others(id);
    try {
      const script = scriptOf(file);
      const run = script.runInThisContext() as (...given: unknown[]) => void;
      run(module.exports, Object.assign(require, others), module, file, folder);
      compiled(script, file);
    } catch (error) {
      // As with `require`: the next one to ask loads it again.
      loaded.delete(file);
      throw error;
    }
    return module.exports;
  };
  return load(path);
}

function scriptOf(path: string): Script {
  // One byte per character: V8 would need two for all of them if one were outside Latin-1.
  const source = readFileSync(path, 'latin1');
  const cachedData = usableCache(path);
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    ...(cachedData ? { cachedData } : {}),
  });
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
