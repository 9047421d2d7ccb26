import { renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { namesIn } from './folders.js';

/** How long a log grows, and how many files of it stay. */
export interface LogKeeping {
  /** A file of this size is set aside. */
  readonly maxBytes: number;
  /** The number of files aside that stay. */
  readonly files: number;
  /** A file whose first line is older is set aside. */
  readonly days: number;
}

export const usualLogKeeping: LogKeeping = { maxBytes: 10 * 1024 * 1024, files: 5, days: 30 };

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The size of a log, and its age. */
export interface FileSize {
  readonly bytes: number;
  /** The time of its first line, in milliseconds; null when it has none, or none that says its time. */
  readonly begun: number | null;
}

/** Pure: decides whether a file is to be set aside now. An empty one never is. */
export const isFull = ({ bytes, begun }: FileSize, { maxBytes, days }: LogKeeping, now: Date): boolean =>
  bytes > 0 && (bytes >= maxBytes || (begun !== null && now.getTime() - begun >= days * dayMilliseconds));

/** Returns the numbers of the files of this name that were set aside, the youngest first. A set aside that failed leaves a gap. */
const numbersAside = (path: string): number[] =>
  namesIn(dirname(path))
    .flatMap((name) => {
      const number = name.startsWith(`${basename(path)}.`) ? name.slice(basename(path).length + 1) : '';
      return /^[1-9]\d{0,5}$/.test(number) ? [Number(number)] : [];
    })
    .sort((a, b) => a - b);

/** Returns the files of this name that were set aside, the youngest first. */
export const filesAside = (path: string): string[] => numbersAside(path).map((number) => `${path}.${number}`);

/**
 * Sets a file aside: `x.log` becomes `x.log.1`, which becomes `x.log.2`, and so on. Called again after it failed half-way, it goes
 * on where it stopped, and deletes no further file.
 * @param kept the number of files aside that stay; with 0 the file itself is deleted.
 * @throws the file system's error.
 */
export function setAside(path: string, kept: number): void {
  const name = (index: number): string => (index === 0 ? path : `${path}.${index}`);
  const taken = numbersAside(path);
  for (const beyond of taken.filter((number) => number > kept)) rmSync(name(beyond));
  let free = 1;
  while (taken.includes(free)) free += 1;
  if (free > kept) rmSync(name(kept), { force: true });
  for (let index = Math.min(free, kept) - 1; index >= 0; index -= 1)
    renameIfThere(name(index), name(index + 1));
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
