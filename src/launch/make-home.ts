import { rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../foundation/make-folder.js';
import type { TakeBack } from './take-back.js';

/** Makes the home of a tool where there is none. One that is empty goes again with a launch that fails, with what was made for it. */
export function makeHome(path: string, made: TakeBack): void {
  const first = makeFolder(path, 0o700);
  if (first !== undefined) made.add(`the folder ${path}`, () => removeEmpty(path, first));
}

/** @param last the folder above which nothing is touched */
function removeEmpty(path: string, last: string): void {
  for (let folder = path; folder.length >= last.length; folder = dirname(folder))
    try {
      rmdirSync(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // What somebody has written there is not the launch's to take away.
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return;
      throw error;
    }
}
