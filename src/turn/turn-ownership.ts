import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { type DirectoryLock, tryLock } from '../foundation/directory-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/processes.js';

/** The process that runs the turns of a session, as shown to people. */
export interface TurnOwner extends ProcessIdentity {
  /** The program's name. */
  program: string;
  /** Whether it gives the ownership up to another process that requests it. */
  givesWay?: boolean;
}

/**
 * The right to run the turns of one session: at most one process has it, whichever program it is. The kernel frees it
 * when the process dies. Running turns do not depend on it: they are left, and the next owner adopts them.
 */
export class TurnOwnership {
  readonly #lock: DirectoryLock;
  readonly #ownerFile: string;
  #held = true;

  private constructor(lock: DirectoryLock, ownerFile: string) {
    this.#lock = lock;
    this.#ownerFile = ownerFile;
  }

  /**
   * @param runDirectory of the session.
   * @param givesWay whether this process watches for an ownership request of another one, and gives way to it.
   * @returns null when another process has the right: {@link turnOwner} returns which.
   * @throws the file system's error.
   */
  static take(runDirectory: string, program: string, givesWay = false): TurnOwnership | null {
    const lock = tryLock(join(runDirectory, 'owner.lock'));
    if (!lock) return null;
    const ownerFile = ownerFileOf(runDirectory);
    try {
      writeFileAtomic(
        ownerFile,
        toJsonFile({ ...identify(process.pid), program, ...(givesWay && { givesWay }) }),
      );
    } catch (error) {
      lock.release();
      throw error;
    }
    return new TurnOwnership(lock, ownerFile);
  }

  /** @throws when it was given back. */
  require(): void {
    if (!this.#held) throw new Error('The ownership of the turns of this session was given back.');
  }

  /** Gives the ownership back. No turn can begin or be adopted after that. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    // The file is removed first: once the lock is released, the file may be another owner's.
    rmSync(this.#ownerFile, { force: true });
    this.#lock.release();
  }
}

/**
 * Returns the process that is recorded as the owner of the turns of a session; it may have died since. Null when none is
 * recorded.
 */
export function turnOwner(runDirectory: string): TurnOwner | null {
  try {
    return JSON.parse(readFileSync(ownerFileOf(runDirectory), 'utf8')) as TurnOwner;
  } catch {
    return null;
  }
}

const ownerFileOf = (runDirectory: string): string => join(runDirectory, 'owner.json');

// The turns of a session change hands between two live processes like this:
//
//   owned by A ──B requests the ownership──▶ A leaves its turn running and gives the ownership back ──▶ B owns, adopts,
//   and withdraws the request
//
// A request counts as long as the process that placed it lives. While there is one, no third process takes what is free.

const ownershipRequestFile = (runDirectory: string): string => join(runDirectory, 'owner-request.json');

/** Requests that this process own the turns of a session next. An earlier request is overwritten. */
export function requestOwnership(runDirectory: string): void {
  writeFileAtomic(ownershipRequestFile(runDirectory), toJsonFile(identify(process.pid)));
}

export function withdrawOwnershipRequest(runDirectory: string): void {
  if (readOwnershipRequest(runDirectory)?.pid === process.pid)
    rmSync(ownershipRequestFile(runDirectory), { force: true });
}

/** Returns the other live process that requested to own the turns next; null when there is none. */
export function ownershipRequestOfAnother(runDirectory: string): ProcessIdentity | null {
  const request = readOwnershipRequest(runDirectory);
  return request && request.pid !== process.pid && isAlive(request) ? request : null;
}

function readOwnershipRequest(runDirectory: string): ProcessIdentity | null {
  try {
    const { pid, startedAt } = JSON.parse(
      readFileSync(ownershipRequestFile(runDirectory), 'utf8'),
    ) as ProcessIdentity;
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}

/** The time in which an owner that gives way leaves its turn; a process that attaches waits twice as long for a gateway. */
const patienceMilliseconds = 5000;
const retryMilliseconds = 20;

/**
 * Takes the right to run the turns of a session, if need be from an owner that gives way: that owner leaves the running
 * turn, to be adopted here.
 * @returns null when another process has the right and keeps it.
 * @throws the file system's error.
 */
export async function claimTurns(
  runDirectory: string,
  program: string,
  clock: Clock,
): Promise<TurnOwnership | null> {
  const deadline = clock.monotonic() + patienceMilliseconds;
  let requested = false;
  try {
    for (;;) {
      const ownership = TurnOwnership.take(runDirectory, program);
      if (ownership) return ownership;
      const owner = turnOwner(runDirectory);
      // An owner has no `owner.json` between taking the lock and writing the file, nor between removing the file and
      // releasing the lock.
      const stays = owner !== null && !owner.givesWay && isAlive(owner);
      if (stays || clock.monotonic() >= deadline) return null;
      if (!requested) requestOwnership(runDirectory);
      requested = true;
      await clock.sleep(retryMilliseconds);
    }
  } finally {
    if (requested) withdrawOwnershipRequest(runDirectory);
  }
}
