// The record of what the build was made of and what it made: it shows that a build is of these very sources, by whatever program it was run, and however
// old the files say they are. Imports no package: `npm start` reads it before any is there.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const place = join('dist', 'build-record.json');

/** The files that are compiled or bundled, packages included, and the programs that do it. */
const sources = [
  'src',
  'generated',
  'sdk/src',
  'sdk/scripts',
  'sdk/package.json',
  'sdk/tsconfig.json',
  'sdk-testing/package.json',
  'standin/src',
  'standin/package.json',
  'standin/tsconfig.json',
  'console/src',
  'console/package.json',
  'console/tsconfig.json',
  'scripts/build.mjs',
  'scripts/build',
  'scripts/rehearsals',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
];
/** The output that runs, and the compiler's knowledge of it. */
const products = [
  'dist/programs',
  'dist/validators',
  'dist/page',
  'dist/tsconfig.tsbuildinfo',
  'sdk/dist',
  'sdk-testing/dist',
  'standin/dist',
  'console/dist',
];
/** The SDK's copy of the contract: the build itself makes it. */
const made = join('sdk', 'src', 'generated');

/** The digest of each source, by its path. */
export const digestSources = (root) => digests(root, sources);

/**
 * @param before `digestSources` of the moment when the build began: what changed meanwhile is not in it
 * @param node the version of the Node whose compiled code is there; null when there is none yet
 */
export function writeBuildRecord(root, before, node = process.version) {
  const record = { node, sources: before, products: digests(root, products) };
  writeFileSync(join(root, place), `${JSON.stringify(record, null, 2)}\n`);
}

export const removeBuildRecord = (root) => rmSync(join(root, place), { force: true });

/**
 * @returns {{ what: 'all' | 'cache', because: string } | null} what has to be built, and why: everything, or only the compiled code
 *   that another Node would pass over; null when what is there will do
 */
export function buildDifference(root) {
  const record = readRecord(join(root, place));
  if (record === null) return { what: 'all', because: 'there is no build yet' };
  const changed =
    firstDifference(record.sources, digests(root, sources)) ??
    firstDifference(record.products, digests(root, products));
  if (changed !== null) return { what: 'all', because: `${changed} has changed` };
  if (record.node === process.version) return null;
  const because =
    record.node === null
      ? 'the programs have no compiled code beside them yet'
      : `it was built by Node ${record.node.slice(1)}`;
  return { what: 'cache', because };
}

function readRecord(path) {
  try {
    const { node, sources, products } = JSON.parse(readFileSync(path, 'utf8'));
    return (typeof node === 'string' || node === null) && sources && products
      ? { node, sources, products }
      : null;
  } catch {
    return null;
  }
}

const firstDifference = (before, now) =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].find((path) => before[path] !== now[path]) ??
  null;

const digests = (root, paths) =>
  Object.fromEntries(
    paths.map((path) => {
      const hash = createHash('sha256');
      addTo(hash, root, path);
      return [path, hash.digest('hex')];
    }),
  );

/** Names and contents: a file that is gone or new counts, the times of files do not. */
function addTo(hash, root, path) {
  const full = join(root, path);
  if (path === made || !existsSync(full)) return;
  hash.update(`${path}\0`);
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) addTo(hash, root, join(path, name));
  } else {
    const content = readFileSync(full);
    hash.update(`${content.length}\0`).update(content);
  }
}
