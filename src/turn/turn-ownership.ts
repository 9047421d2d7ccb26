import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { type DirectoryLock, tryLock } from '../foundation/directory-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { identify, type ProcessIdentity } from '../foundation/process-identity.js';

/** Who runs the turns of a session, for people. */
export interface TurnOwner extends ProcessIdentity {
  /** The program's name. */
  program: string;
  /** Whether it gives way to whoever says that it is to own them (turn-wish.ts). */
  givesWay?: boolean;
}

/**
 * The right to run the turns of one session: at most one process has it, whichever program it is. The kernel frees it
 * when the process dies. Turns that run do not depend on it: they are left, and adopted by the next owner.
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
   * @param givesWay whether this process watches for the wish of another one, and gives way to it.
   * @returns null when another process has it: {@link turnOwner} tells which.
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

  /** Gives it back. No turn can begin or be adopted after that. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    // In this order: afterwards the file is another owner's.
    rmSync(this.#ownerFile, { force: true });
    this.#lock.release();
  }
}

/** Who says that it runs the turns of a session; it may have died since. Null when nobody says so. */
export function turnOwner(runDirectory: string): TurnOwner | null {
  try {
    return JSON.parse(readFileSync(ownerFileOf(runDirectory), 'utf8')) as TurnOwner;
  } catch {
    return null;
  }
}

const ownerFileOf = (runDirectory: string): string => join(runDirectory, 'owner.json');
