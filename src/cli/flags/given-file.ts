import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { belowHome } from '../../foundation/environment-folders.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';

/** The text of a file that an option names. @throws {CommandFailure} when it cannot be read, or is no text. */
export const textFrom = (flag: string, path: string): string =>
  decoded(readGiven(flag, path), `${flag} ${path}`);

export const withHome = (path: string): string => belowHome(path, homedir());

function readGiven(flag: string, path: string): Buffer {
  try {
    return readFileSync(withHome(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new CommandFailure(`${flag} ${path} ${why}.`, exitCodes.usage);
  }
}

/** @param from what has the bytes, as its reader calls it. */
function decoded(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${from} is not UTF-8 text.`, exitCodes.usage);
  }
}
