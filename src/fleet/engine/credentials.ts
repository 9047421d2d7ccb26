// The keys of hosts: a folder with a file per host, `<host>.nk`, and the file that names them to the NATS server.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createUser, fromSeed } from '@nats-io/nkeys';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { UnusableFile } from '../../foundation/faults.js';
import { namesIn } from '../../foundation/folders.js';
import { hostNamePattern, hostNameRule } from '../../foundation/host-name.js';
import { makeFolder } from '../../foundation/make-folder.js';
import { unreadable } from '../../foundation/system-fault.js';
import { type HostKey, hostsText } from './server-config.js';

const ending = '.nk';
/** The name of the file with all hosts, beside their keys. */
export const hostsFileName = 'hosts.conf';
const madeByUs =
  '# Made by houmao-mgr from the keys in this folder, again and again: changes here are lost.\n';

/** A key of a host, and its file. */
export interface HostCredential extends HostKey {
  readonly file: string;
  /** Whether the key was made now. */
  readonly isNew: boolean;
}

/**
 * Returns the content of a key file: the seed on a line of its own, below comments, as the programs of NATS take it too.
 * @param seed `SU…`
 */
export const credentialText = (host: string, seed: string): string => `# The key of the host ${host}
# A program that has it is that host for the whole fleet: keep it secret.
${seed}
`;

/**
 * Returns the seed in the text of a key file: its only line besides blank ones and comments (`#`). Null where that is no seed of a
 * user.
 */
export function seedIn(text: string): string | null {
  const [seed = '', ...others] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return others.length === 0 && publicKeyOf(seed) !== null ? seed : null;
}

/** Returns the public half of a seed; null where it is no seed of a user. */
export function publicKeyOf(seed: string): string | null {
  if (!seed.startsWith('SU')) return null;
  try {
    return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
  } catch {
    return null;
  }
}

/**
 * Makes the keys that are missing in a folder, and writes its {@link hostsFileName} for all that are there. Keys are never written
 * over, and everything is looked at before the first is made.
 * @param names of hosts, each by {@link hostNamePattern}
 * @returns all hosts of the folder, by name
 * @throws {UnusableFile} where a key file holds no seed, or the file of hosts was made by another hand
 */
export function prepareCredentials(folder: string, names: readonly string[]): HostCredential[] {
  const known = readCredentials(folder);
  const hostsFile = join(folder, hostsFileName);
  if (!(readIfThere(hostsFile) ?? madeByUs).startsWith(madeByUs))
    throw new UnusableFile(hostsFile, 'was not made by houmao-mgr', 'move it aside, or name another folder');
  makeFolder(folder, 0o700);
  const missing = new Set(names.filter((name) => !known.some((one) => one.name === name)));
  const all = [...known, ...[...missing].map((name) => makeCredential(folder, name))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  writeFileAtomic(hostsFile, `${madeByUs}${hostsText(all)}`, { mode: 0o644 });
  return all;
}

/** Returns the keys of a folder. @throws {UnusableFile} */
function readCredentials(folder: string): HostCredential[] {
  const found = namesIn(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => readCredential(join(folder, file), file.slice(0, -ending.length)));
  for (const { file, publicKey } of found) {
    const twin = found.find((one) => one.publicKey === publicKey);
    if (twin !== undefined && twin.file !== file)
      throw new UnusableFile(file, `holds the same key as ${twin.file}`, 'move one of them aside');
  }
  return found;
}

function readCredential(file: string, name: string): HostCredential {
  if (!hostNamePattern.test(name))
    throw new UnusableFile(
      file,
      `${name} cannot be the name of a host (${hostNameRule})`,
      'move the file aside',
    );
  const seed = seedIn(readIfThere(file) ?? '');
  const publicKey = seed === null ? null : publicKeyOf(seed);
  if (publicKey === null)
    throw new UnusableFile(
      file,
      'holds no nkey seed of a user (SU…)',
      `put its copy back, or move it aside to have another key made, which ${name} needs too`,
    );
  return { name, publicKey, file, isNew: false };
}

/** Makes a key, unless another process makes it at the same time, whose key is taken then. */
function makeCredential(folder: string, name: string): HostCredential {
  const file = join(folder, `${name}${ending}`);
  const pair = createUser();
  const text = credentialText(name, new TextDecoder().decode(pair.getSeed()));
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readCredential(file, name);
    // A part of a key is none.
    rmSync(file, { force: true });
    throw error;
  }
  return { name, publicKey: pair.getPublicKey(), file, isNew: true };
}

/** Returns the text of a file; null where there is none. @throws {UnusableFile} where it cannot be read */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}
