// Whether node_modules is what package-lock.json names, whatever program installed it. Imports no package: it runs before any is there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compares the lockfile with the list that npm keeps in node_modules, and that list with the packages on the disk.
 * @param {string} root the folder of package-lock.json
 * @returns {string | null} the first difference, as the end of a sentence; null where there is none
 */
export function installedDifference(root) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const listed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (locked === null) return 'package-lock.json cannot be read';
  if (listed === null) return 'nothing is installed yet';
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue;
    const difference = differenceOf(entry, listed[path]);
    if (difference !== null) return `${nameOf(path)} ${difference}`;
  }
  for (const [path, entry] of Object.entries(listed)) {
    const { version } = readJson(join(root, path, 'package.json')) ?? {};
    // A package of this repository has its version from its own file.
    if (version === undefined || (entry.integrity && version !== entry.version))
      return `${nameOf(path)} is ${version ?? 'not'} on the disk`;
    if (!(path in locked) && shadows(path, locked)) return `${nameOf(path)} is not in package-lock.json`;
  }
  return null;
}

/** The differences of an installed package from the one that is needed; npm leaves out optional ones for other machines. */
function differenceOf(wanted, there) {
  if (there === undefined) return wanted.optional ? null : 'is missing';
  if (wanted.version !== there.version) return `is ${there.version}, not ${wanted.version}`;
  if (wanted.integrity !== there.integrity) return 'is another package of the same version';
  return wanted.link === there.link ? null : 'was installed in another way';
}

/** Whether a package that nobody asked for stands in the folder of one that is wanted, which would then find it first. */
function shadows(path, locked) {
  const [, within] = /^(.+)\/node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(path) ?? [];
  return within !== undefined && within in locked;
}

const nameOf = (path) => path.replace(/^.*node_modules\//, '');
const packagesOf = (path) => readJson(path)?.packages ?? null;

function readJson(path) {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  } catch {
    return null;
  }
}
