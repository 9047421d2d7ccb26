import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * The absolute path of an executable, found as a program started in `directory` would find it: a bare name along `path`
 * (folders divided by `:`), anything else as a path from `directory`. Null when there is none.
 */
export function findProgram(program: string, path: string, directory: string): string | null {
  const candidates = program.includes('/')
    ? [resolve(directory, program)]
    : path.split(delimiter).map((folder) => resolve(directory, folder, program));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
