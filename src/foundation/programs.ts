import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProgram } from './node-program.js';
import { packageRoot } from './version.js';

type Program = 'houmao-gateway' | 'houmao-server' | 'standin-agent' | 'turn-runner';

/**
 * The beginning of a command line that starts a program with what is here now.
 * @param environment of whoever starts it: its PATH has the Node that is taken where the one that runs this program was removed.
 * @throws {NoNode} and an error that names the file where the program itself was removed.
 */
export async function startOf(name: Program, environment: NodeJS.ProcessEnv): Promise<[string, string]> {
  const file = programFile(name);
  if (!existsSync(file))
    throw new Error(`${file} was removed; install Houmao again, or build it (npm run build)`);
  return [await nodeProgram(environment.PATH ?? ''), file];
}

/** The file that the build makes of a program, to be run with Node. */
export const programFile = (name: Program): string => join(packageRoot, 'dist', 'programs', `${name}.js`);
