import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of the nearest package.json: the project, whether it runs from `dist/` or from its sources. */
function findPackage(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export const packageRoot = findPackage();
const description = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
  devDependencies: { 'better-sqlite3': string };
};
export const version = description.version;
/** The versions of Node that can run this program, such as `^20.20.0 || >=24.0.0`. */
export const neededNode = description.engines.node;
/** The version of better-sqlite3 that is compiled where no ready-made addon works (open-database.ts). */
export const compiledSqlite = description.devDependencies['better-sqlite3'];

const numbersOf = (text: string): number[] => text.split(/[.-]/, 3).map(Number);

/** Pure: decides whether a version is lower than another one, both such as `0.2.0`. One that begins with `<` is lower than that. */
export function isOlder(one: string, than: string): boolean {
  const isBefore = one.startsWith('<');
  const [a, b] = [numbersOf(one.replace('<', '')), numbersOf(than)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? isBefore : (a[at] ?? 0) < (b[at] ?? 0);
}
