import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A variable of the environment that this program was started with makes no sense; the message names it. */
export class BadEnvironment extends Error {
  override readonly name = 'BadEnvironment';
}

/** The home of whoever has this environment; where it names none, that of the user in the system's records. */
export const homeFolder = (environment: NodeJS.ProcessEnv): string => environment.HOME || homedir();

/** The folder that a variable names; null where it is not set. @throws {BadEnvironment} when it is a relative path. */
export function absoluteVariable(environment: NodeJS.ProcessEnv, name: string): string | null {
  const given = environment[name];
  if (given === undefined) return null;
  if (!isAbsolute(given)) throw new BadEnvironment(`${name} must be an absolute path, got ${given}`);
  return given;
}

/** What a shell makes of a path that begins with `~`. */
export const belowHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
