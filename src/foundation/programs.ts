import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { neededNode, packageRoot } from './version.js';

type Program = 'houmao-gateway' | 'houmao-mgr' | 'houmao-server' | 'standin-agent' | 'turn-runner';

/**
 * Returns the beginning of a command line that starts a program with the files and the Node that exist now.
 * @param environment of the process that starts it: a Node from its PATH is used where the Node that
 * runs this program was removed.
 * @throws {NoNode}, or an error that names the file where the program itself was removed.
 */
export async function startOf(name: Program, environment: NodeJS.ProcessEnv): Promise<[string, string]> {
  const file = programFile(name);
  if (!existsSync(file))
    throw new Error(`${file} was removed; install Houmao again, or build it (npm run build)`);
  return [await nodeProgram(environment.PATH ?? ''), file];
}

/** Returns the file that the build makes of a program, to be run with Node. */
export const programFile = (name: Program): string => join(packageRoot, 'dist', 'programs', `${name}.js`);

/**
 * Returns the absolute path of an executable, found as a program started in `directory` would find it: a bare name along `path`
 * (folders separated by `:`), anything else as a path from `directory`. Null when there is none.
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

const askMilliseconds = 5000;

/** No Node is available that can run our programs. */
export class NoNode extends Error {
  override readonly name = 'NoNode';

  constructor(gone: string) {
    super(
      `${gone}, which runs this program, was removed, and its PATH has no Node that fits (${neededNode}): install one, and restart the program with that Node in PATH`,
    );
  }
}

/**
 * Returns the Node that can start a program now: the file that runs this one or, where that was removed since (as a version
 * manager does at an upgrade), the first one on `path` whose version fits.
 * @throws {NoNode}
 */
export async function nodeProgram(path: string, own: string = process.execPath): Promise<string> {
  if (findProgram(own, '', '/') !== null) return own;
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const found = findProgram('node', folder, '/');
    if (found !== null && (await runsOurs(found))) return found;
  }
  throw new NoNode(own);
}

async function runsOurs(node: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(node, ['--version'], { timeout: askMilliseconds });
    return fitsVersion(stdout.trim(), neededNode);
  } catch {
    return false;
  }
}

/** @param range alternatives separated by `||`, each `^1.2.3` or `>=1.2.3`. @param version such as `v20.20.2`. */
export function fitsVersion(version: string, range: string): boolean {
  const have = numbersOf(version);
  return range.split('||').some((alternative) => {
    const least = numbersOf(alternative);
    const differs = have.findIndex((number, at) => number !== least[at]);
    const isLess = differs >= 0 && (have[differs] ?? 0) < (least[differs] ?? 0);
    return have.length === 3 && !isLess && (!alternative.includes('^') || have[0] === least[0]);
  });
}

/** Returns the numbers of a version; none for a text that is no version. */
const numbersOf = (version: string): number[] =>
  (/(\d+)\.(\d+)\.(\d+)$/.exec(version.trim()) ?? []).slice(1).map(Number);
