import { accessSync, constants, statfsSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.js';
import { WakefulLoop } from '../../foundation/wakeful-loop.js';
import { type StorageFault, storageFault } from '../../session/queue-fault.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { CommitDoor } from '../group-commit.js';
import type { QueueDatabase } from './queue-database.js';
import { QueueUnavailable, storageFaultOf } from './storage-fault.js';

// Whether the queue can be stored:
//
//   sound ──a fault is met──▶ faulty ──everything is where it belongs, and a probe gets on disk──▶ sound
//                               │
//                               └── damaged: stays, until a new start
//
// While it is faulty nothing new is accepted and nothing new is started. What has happened is written down as soon as
// that works.

/** Below this nothing new begins: the end of what runs needs room too. */
const leastFree = 1024 * 1024;
const lookMilliseconds = 1000;

interface Withheld {
  answer: () => void;
  refuse: (reason: unknown) => void;
}

export interface WatchParts {
  paths: SessionPaths;
  database: () => QueueDatabase;
  /** Writes the end of a fault down; when that is on disk, the fault is over. */
  probe: (told: string) => Promise<void>;
  /** Takes what must be seen even when nothing can be written down. */
  tell: (line: string) => void;
  changed: () => void;
  clock: Clock;
}

/** Watches over the files of the queue: notices what is wrong with them, says so once, and when it is over. */
export class StorageWatch implements CommitDoor {
  readonly #parts: WatchParts;
  readonly #loop: WakefulLoop;
  #fault: StorageFault | null = null;
  #since = new Date(0);
  /** Answers to what was committed into files that nobody will find. */
  #withheld: Withheld[] = [];
  #probing = false;
  #ending = false;
  #obstacle = '';
  /** Before that whoever starts tells why it cannot. */
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

  /** What is wrong; null when nothing is. */
  get fault(): StorageFault | null {
    return this.#fault;
  }

  start(): void {
    this.#started = true;
    if (this.#fault) this.#tell(this.#fault);
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Looks at files and disk. Costs a few system calls. */
  look(): void {
    const found = this.#fileFault() ?? this.#diskFault();
    if (found) this.met(found);
  }

  /** Something was refused, or found wrong. */
  met(fault: StorageFault): void {
    // Nothing that is seen later makes a damaged file whole.
    if (this.#fault?.code === fault.code || this.#fault?.code === 'damaged') return;
    if (!this.#fault) this.#since = this.#parts.clock.now();
    this.#fault = fault;
    if (!this.#started) return;
    this.#tell(fault);
    this.#parts.changed();
  }

  enter(): void {
    const found = this.#fileFault();
    if (found) this.met(found);
    // To write would be in vain, or make it worse.
    const closed = found ?? (this.#fault?.code === 'damaged' ? this.#fault : null);
    if (closed) throw new QueueUnavailable(closed);
  }

  leave(answer: () => void, refuse: (reason: unknown) => void): void {
    const found = this.#fileFault();
    if (!found) {
      answer();
      return;
    }
    this.met(found);
    this.#withheld.push({ answer, refuse });
    // Waiting longer would help nobody.
    if (this.#ending || this.#fault?.code === 'damaged') this.#settleWithheld();
    else this.#loop.wake();
  }

  /** The gateway goes down: whoever still waits to hear that his work will be found is told now how it is. */
  letGo(): void {
    this.#ending = true;
    this.#settleWithheld();
  }

  locked(error: unknown): void {
    const fault = storageFaultOf(error, this.#parts.paths.queue);
    if (fault) this.met(fault);
  }

  /** Keeps what another file has taken the place of. Call it before the database is closed. */
  keepContent(): void {
    const { paths, tell, database, clock } = this.#parts;
    const state = database().look();
    if (state !== 'missing' && state !== 'replaced') return;
    if (state === 'missing') {
      database().writeBack();
      return;
    }
    const copy = `${paths.queue}.kept-${clock.now().getTime()}`;
    database().copyTo(copy);
    tell(`${paths.queue} was replaced while the gateway ran; what it held is kept as ${copy}`);
  }

  #step(): void {
    this.look();
    const { fault } = this;
    if (!fault || fault.code === 'damaged') return;
    if (fault.code === 'missing') this.#writeBack();
    if (this.#fileFault() ?? this.#diskFault()) return;
    for (const { answer } of this.#withheld.splice(0)) answer();
    if (this.#probing) return;
    this.#probing = true;
    // Not waited for: its own answer may be withheld, and then comes out of a later step.
    const over = (): void => {
      this.#probing = false;
    };
    this.#probe(fault).then(over, over);
  }

  async #probe(fault: StorageFault): Promise<void> {
    const told = `queue.sqlite could not be stored since ${this.#since.toISOString()} (${fault.code}); now it can`;
    await this.#parts.probe(told);
    if (this.#fault !== fault) return;
    this.#fault = null;
    this.#parts.tell(`${this.#parts.paths.queue}: stored again, everything goes on`);
    this.#parts.changed();
  }

  #settleWithheld(): void {
    if (this.#fault?.code === 'missing') this.#writeBack();
    const still = this.#fileFault();
    for (const { answer, refuse } of this.#withheld.splice(0)) {
      if (still) refuse(new QueueUnavailable(still, true));
      else answer();
    }
  }

  #tell({ reason, remedy, afterwards }: StorageFault): void {
    this.#parts.tell(`${reason}: nothing new is accepted or started; ${remedy}; ${afterwards}`);
  }

  #writeBack(): void {
    try {
      this.#parts.database().writeBack();
    } catch (error) {
      const obstacle = `${this.#parts.paths.queue} could not be written back yet: ${(error as Error).message}`;
      if (obstacle !== this.#obstacle) this.#parts.tell(obstacle);
      this.#obstacle = obstacle;
    }
  }

  #fileFault(): StorageFault | null {
    const state = this.#parts.database().look();
    if (state === 'ours') return null;
    const path = this.#parts.paths.queue;
    return state === 'truncated'
      ? storageFault('damaged', path, 'it has become shorter')
      : storageFault(state, path);
  }

  /** The folder takes what turns leave; a disk without room for that has none for the queue soon either. */
  #diskFault(): StorageFault | null {
    const { gateway } = this.#parts.paths;
    try {
      accessSync(gateway, constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return storageFault(code === 'EROFS' ? 'read_only' : 'unwritable', gateway, code);
    }
    const { bavail, bsize, blocks } = statfsSync(gateway);
    return blocks > 0 && bavail * bsize < leastFree
      ? storageFault('disk_full', gateway, `less than ${leastFree / 1024} KiB free`)
      : null;
  }
}
