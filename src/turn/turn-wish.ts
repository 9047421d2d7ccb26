import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/process-identity.js';

// How the turns of a session change hands between two live processes:
//
//   owned by A ──B places its wish──▶ A leaves its turn running and gives the ownership back ──▶ B owns, adopts, and
//   withdraws the wish
//
// A wish counts as long as the process lives that placed it. While one is there, nobody else takes what is free.

const wishFile = (runDirectory: string): string => join(runDirectory, 'owner-wish.json');

/** Says that this process is to own the turns of a session next. An earlier wish is overwritten. */
export function placeWish(runDirectory: string): void {
  writeFileAtomic(wishFile(runDirectory), toJsonFile(identify(process.pid)));
}

export function withdrawWish(runDirectory: string): void {
  if (readWish(runDirectory)?.pid === process.pid) rmSync(wishFile(runDirectory), { force: true });
}

/** The other live process that is to own the turns next; null when there is none. */
export function wishOfAnother(runDirectory: string): ProcessIdentity | null {
  const wish = readWish(runDirectory);
  return wish && wish.pid !== process.pid && isAlive(wish) ? wish : null;
}

function readWish(runDirectory: string): ProcessIdentity | null {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(wishFile(runDirectory), 'utf8')) as ProcessIdentity;
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}
