import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** The programs of an installed and built `houmao`. */
export interface Programs {
  readonly manager: string;
  readonly gateway: string;
  readonly standin: string;
}

const way = "for example startTestGateway({ houmao: '/path/to/houmao-gateway' })";

/**
 * Finds the programs of the package.
 * @param given the folder of the package; when left out, it is looked up from `from`.
 * @throws Error that says in one sentence what is missing, and what to do.
 */
export function findPrograms(given: string | undefined, from: string): Programs {
  const root = given === undefined ? installed(from) : resolve(from, given);
  refuseOther(root);
  const file = (name: string) => join(root, 'dist', 'programs', `${name}.js`);
  const programs = {
    manager: file('houmao-mgr'),
    gateway: file('houmao-gateway'),
    standin: file('standin-agent'),
  };
  const missing = Object.values(programs).find((path) => !existsSync(path));
  if (missing === undefined) return programs;
  throw new Error(
    `startTestGateway needs ${missing}, which is not there: build it with \`npm run build\` in ${root}.`,
  );
}

/** @throws Error when a folder is not that of the package, built or not. */
function refuseOther(root: string): void {
  const path = join(root, 'package.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (text === null)
    throw new Error(
      `startTestGateway found no package houmao in ${root}: name the folder of its package.json, ${way}.`,
    );
  const name = nameIn(text);
  if (name === 'houmao') return;
  throw new Error(
    `startTestGateway was given ${name === null ? 'a package' : `the package ${name}`} in ${root}, which is not houmao: name the folder of that, ${way}.`,
  );
}

function nameIn(text: string): string | null {
  try {
    const { name } = (JSON.parse(text) ?? {}) as { name?: unknown };
    return typeof name === 'string' ? name : null;
  } catch {
    return null;
  }
}

function installed(from: string): string {
  try {
    return dirname(createRequire(join(from, 'x')).resolve('houmao/package.json'));
  } catch (error) {
    throw new Error(
      `startTestGateway needs the package houmao, which ${from} does not have: name the folder of a built one, ${way}.`,
      { cause: error },
    );
  }
}
