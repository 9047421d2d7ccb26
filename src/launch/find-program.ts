import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** The absolute path of an executable: a path as it is, a bare name along `path`; null when there is none. */
export function findProgram(program: string, path: string): string | null {
  const candidates = program.includes('/')
    ? [resolve(program)]
    : path.split(delimiter).map((folder) => join(folder, program));
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
