import { accessSync, constants, type StatsFs, statfsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { WakefulLoop } from '../foundation/concurrency.js';
import type { CommitGuard } from './group-commit.js';
import { type StorageFault, StoreUnavailable, storageFault, storageFaultOf } from './storage-fault.js';
import type { WatchedDatabase } from './watched-database.js';

// Whether the store can be written:
//
//   sound ──a fault is met──▶ faulty ──files are in place, and a probe gets on disk──▶ sound
//                               │
//                               └── damaged: stays, until a new start
//
// While it is faulty, nothing new is accepted or started. Whatever has happened is written as soon as that is possible.
//
// A sync that fails comes after its commit, so its callers get no answer yet: the whole content is written again, once a second
// until the disk takes it, and then the answer is success. Only a program that stops before that answers that the outcome is
// unknown (`committed`). Until then nothing more is written: a later sync would not restore what this one lost, and SQLite
// ignores every row that follows a hole in the log.

/** In bytes. With less than this free, nothing new begins, because the turns that run need room for their ends. */
const leastFree = 1024 * 1024;
const lookMilliseconds = 1000;

interface Withheld {
  answer: () => void;
  refuse: (reason: unknown) => void;
}

export interface WatchParts {
  database: WatchedDatabase;
  /** Writes that the fault has ended. The fault counts as ended once that is on disk. */
  probe: (sentence: string) => Promise<void>;
  /** Reports a line that must be seen even when nothing can be stored. */
  report: (line: string) => void;
  /** Called when a fault has begun or ended. */
  changed: () => void;
  clock: Clock;
}

/** Watches the files of a store: detects what is wrong with them, and reports the beginning and the end of each fault once. */
export class StorageWatch implements CommitGuard {
  readonly #parts: WatchParts;
  readonly #loop: WakefulLoop;
  #fault: StorageFault | null = null;
  #since = new Date(0);
  /** Answers to commits into files that the next start would not find. */
  #withheld: Withheld[] = [];
  #probing = false;
  #ending = false;
  #obstacle = '';
  /** False until start(): before that, the caller of start() reports faults. */
  #started = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#loop = new WakefulLoop({
      step: async () => {
        this.#step();
        return lookMilliseconds;
      },
      fault: () => lookMilliseconds,
      clock: parts.clock,
    });
  }

  /** The present fault; null when there is none. */
  get fault(): StorageFault | null {
    return this.#fault;
  }

  get #path(): string {
    return this.#parts.database.name.path;
  }

  start(): void {
    this.#started = true;
    if (this.#fault) this.#report(this.#fault);
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Checks the files and the disk. Costs a few system calls. */
  look(): void {
    const found = this.#fileFault() ?? this.#diskFault();
    if (found) this.met(found);
  }

  /** Records a fault. To be called when the database refused an operation, or a file was found wrong. */
  met(fault: StorageFault): void {
    // A damaged file stays damaged, whatever is found later.
    if (this.#fault?.code === fault.code || this.#fault?.code === 'damaged') return;
    if (!this.#fault) this.#since = this.#parts.clock.now();
    this.#fault = fault;
    if (!this.#started) return;
    this.#report(fault);
    this.#parts.changed();
  }

  enter(): void {
    const found = this.#fileFault();
    if (found) this.met(found);
    // Writing would be useless or do more damage.
    const closed = found ?? (this.#fault?.code === 'damaged' ? this.#fault : null);
    if (closed) throw new StoreUnavailable(closed);
  }

  leave(answer: () => void, refuse: (reason: unknown) => void): void {
    const found = this.#contentFault();
    if (!found) {
      answer();
      return;
    }
    this.met(found);
    this.#withheld.push({ answer, refuse });
    // Waiting longer would change nothing.
    if (this.#ending || this.#fault?.code === 'damaged') this.#settleWithheld();
    else this.#loop.wake();
  }

  /** Ends the waiting when the program stops: callers whose answer is withheld get it now, or a refusal. */
  letGo(): void {
    this.#ending = true;
    this.#settleWithheld();
  }

  locked(error: unknown): void {
    const fault = storageFaultOf(error, this.#parts.database.name);
    if (fault) this.met(fault);
  }

  /** Keeps a copy of the content whose file was replaced. To be called before the database is closed. */
  keepContent(): void {
    const { report, database, clock } = this.#parts;
    const state = database.look();
    if (this.#toWriteBack()) database.writeBack();
    if (state !== 'replaced') return;
    const { path, program } = database.name;
    const copy = `${path}.kept-${clock.now().getTime()}`;
    database.copyTo(copy);
    report(`${path} was replaced while the ${program} ran; what it held is kept as ${copy}`);
  }

  #step(): void {
    this.look();
    const { fault } = this;
    if (!fault || fault.code === 'damaged') return;
    if (this.#toWriteBack()) this.#writeBack();
    if (this.#contentFault() ?? this.#diskFault()) return;
    for (const { answer } of this.#withheld.splice(0)) answer();
    if (this.#probing) return;
    this.#probing = true;
    // Not awaited: the answer to the probe may itself be withheld, and is then given by a later step.
    const over = (): void => {
      this.#probing = false;
    };
    this.#probe(fault).then(over, over);
  }

  async #probe(fault: StorageFault): Promise<void> {
    const since = this.#since.toISOString();
    await this.#parts.probe(
      `${basename(this.#path)} could not be stored since ${since} (${fault.code}); now it can`,
    );
    if (this.#fault !== fault) return;
    this.#fault = null;
    this.#parts.report(`${this.#path}: stored again, work continues`);
    this.#parts.changed();
  }

  #settleWithheld(): void {
    if (this.#toWriteBack()) this.#writeBack();
    const still = this.#contentFault();
    for (const { answer, refuse } of this.#withheld.splice(0)) {
      if (still) refuse(new StoreUnavailable(still, true));
      else answer();
    }
  }

  #report({ reason, remedy, afterwards }: StorageFault): void {
    this.#parts.report(`${reason}: nothing new is accepted or started; ${remedy}; ${afterwards}`);
  }

  /**
   * Decides whether the open content is better than what the next start would find, and no other program's file is in its
   * place.
   */
  #toWriteBack(): boolean {
    const { database } = this.#parts;
    const state = database.look();
    return state === 'missing' || (state === 'ours' && database.unsynced !== null);
  }

  #writeBack(): void {
    try {
      this.#parts.database.writeBack();
    } catch (error) {
      const obstacle = `${this.#path} could not be written back yet: ${(error as Error).message}`;
      if (obstacle !== this.#obstacle) this.#parts.report(obstacle);
      this.#obstacle = obstacle;
    }
  }

  /** Returns the reason why the next start might not find the committed content. */
  #contentFault(): StorageFault | null {
    return this.#fileFault() ?? this.#parts.database.unsynced;
  }

  #fileFault(): StorageFault | null {
    const state = this.#parts.database.look();
    if (state === 'ours') return null;
    const { name } = this.#parts.database;
    return state === 'truncated'
      ? storageFault('damaged', name, 'it has become shorter')
      : storageFault(state, name);
  }

  /**
   * Checks the disk of the folder: turns write into it too, and a disk without room for them soon has none for the store
   * either.
   */
  #diskFault(): StorageFault | null {
    const folder = { ...this.#parts.database.name, path: dirname(this.#path) };
    try {
      accessSync(folder.path, constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return storageFault(code === 'EROFS' ? 'read_only' : 'unwritable', folder, code);
    }
    return isFull(statfsSync(folder.path))
      ? storageFault('disk_full', folder, `less than ${leastFree / 1024} KiB free`)
      : null;
  }
}

/**
 * Decides whether too little space is free for the store: `bavail` blocks of `bsize` bytes. A file system without blocks
 * reports no size and never counts as full.
 */
export const isFull = ({ bavail, bsize, blocks }: Pick<StatsFs, 'bavail' | 'bsize' | 'blocks'>): boolean =>
  blocks > 0 && bavail * bsize < leastFree;
