import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A variable in the environment of this program has a value that makes no sense; the message names the variable. */
export class BadEnvironment extends Error {
  override readonly name = 'BadEnvironment';
}

/** Returns the home folder that an environment names; where it names none, that of the user in the system's records. */
export const homeFolder = (environment: NodeJS.ProcessEnv): string => environment.HOME || homedir();

/** Returns the folder that a variable names; null where it is not set, or empty. @throws {BadEnvironment} when it is a relative path. */
export function absoluteVariable(environment: NodeJS.ProcessEnv, name: string): string | null {
  const given = environment[name];
  if (given === undefined || given === '') return null;
  if (!isAbsolute(given)) throw new BadEnvironment(`${name} must be an absolute path, got ${given}`);
  return given;
}

/** Replaces `~` at the beginning of a path, as a shell does. */
export const belowHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
