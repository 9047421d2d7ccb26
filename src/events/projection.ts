import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../foundation/make-folder.js';
import { findRepair } from './catch-up.js';
import type { EventTable, StoredEvent } from './event-table.js';
import type { Checkpoint, ProjectionTable } from './projection-table.js';

// A projection follows the events of the database in a file:
//
//   behind ──repair──▶ in step ──follow──▶ in step
//      ▲                  │
//      └─── failed write ─┘
//
// It opens `behind`: a crash may have cut its last line. A write that failed in the middle leaves it the same way.

/** The line of an event in this file, without newline; null when the event has none. */
export type LineOf = (event: StoredEvent) => string | null;

const batchSize = 500;
/** One character per byte: a line may be cut inside a character. */
const toBytes = (line: string): string => Buffer.from(line).toString('latin1');
const syncData = promisify(fdatasync);

/**
 * A file that follows the events: no line is missing or doubled, even after a crash. The checkpoint in the database may
 * lag behind the file; a repair compares the two.
 */
export class Projection {
  readonly name: string;
  readonly path: string;
  readonly #file: number;
  readonly #lineOf: LineOf;
  readonly #formerLineOf: LineOf;
  readonly #events: EventTable;
  readonly #checkpoints: ProjectionTable;
  #seq: number;
  /** Where a repair begins to compare. */
  #known: Checkpoint;
  #noted: number;
  #inStep = false;
  #noting = false;

  private constructor(
    name: string,
    path: string,
    file: number,
    lineOf: LineOf,
    events: EventTable,
    checkpoints: ProjectionTable,
    formerLineOf: LineOf,
  ) {
    this.name = name;
    this.path = path;
    this.#file = file;
    this.#lineOf = lineOf;
    this.#formerLineOf = formerLineOf;
    this.#events = events;
    this.#checkpoints = checkpoints;
    this.#known = checkpoints.checkpoint(name);
    this.#seq = this.#known.seq;
    this.#noted = this.#known.seq;
  }

  /**
   * Opens the file and brings it up to date.
   * @param formerLineOf the line that earlier versions wrote for an event, null where they wrote none: it counts as present too.
   */
  static open(
    name: string,
    path: string,
    lineOf: LineOf,
    events: EventTable,
    checkpoints: ProjectionTable,
    formerLineOf: LineOf = lineOf,
  ): Projection {
    makeFolder(dirname(path), 0o700);
    const projection = new Projection(
      name,
      path,
      openSync(path, 'a+', 0o600),
      lineOf,
      events,
      checkpoints,
      formerLineOf,
    );
    projection.follow();
    return projection;
  }

  /**
   * Appends the lines of all events since the last call.
   * @param fresh the events of the last commit, if the caller has them: reading them back costs more than the rest of a
   *   commit.
   * @throws the file system's error; the next call completes what this one left half written.
   */
  follow(fresh?: readonly StoredEvent[]): void {
    const known = this.#inStep && fresh !== undefined && (fresh[0]?.seq ?? this.#seq + 1) === this.#seq + 1;
    if (!this.#inStep) this.#repair();
    this.#inStep = false;
    if (known) this.#append(fresh);
    else this.#catchUp();
    this.#inStep = true;
  }

  /**
   * Writes the checkpoint. The caller chooses when: an old checkpoint only costs more comparing.
   * @param write runs work in a transaction.
   * @throws the error of the file system or of `write`.
   */
  async note(write: (work: () => void) => Promise<unknown>): Promise<void> {
    if (!this.#inStep || this.#seq === this.#noted || this.#noting) return;
    const reached = { seq: this.#seq, bytes: fstatSync(this.#file).size };
    // A file that its disk has refused once gets no checkpoint any more: another sync that succeeds would prove nothing, and
    // the next start finds what is missing after the last checkpoint.
    this.#noting = true;
    // The checkpoint survives a power loss, so the lines it counts must too.
    await syncData(this.#file);
    this.#noting = false;
    await write(() => this.#checkpoints.note(this.name, reached));
    this.#known = reached;
    this.#noted = reached.seq;
  }

  close(): void {
    closeSync(this.#file);
  }

  #catchUp(): void {
    for (;;) {
      const events = this.#events.readAfter(this.#seq, batchSize);
      this.#append(events);
      if (events.length < batchSize) return;
    }
  }

  #append(events: readonly StoredEvent[]): void {
    const lines = events.map(this.#lineOf).filter((line) => line !== null);
    if (lines.length > 0) this.#write(Buffer.from(`${lines.join('\n')}\n`));
    this.#seq = events.at(-1)?.seq ?? this.#seq;
  }

  /** A full disk may take part of a write before it refuses the rest. */
  #write(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }

  #repair(): void {
    const { seq, bytes: from } = this.#known;
    this.#seq = seq;
    const size = fstatSync(this.#file).size;
    // Shorter than its checkpoint: another program truncated or rotated it. Its former lines are not written again.
    if (size <= from) return;
    const buffer = Buffer.alloc(size - from);
    readSync(this.#file, buffer, 0, buffer.length, from);
    const lined = this.#events.readAfter(seq, Number.MAX_SAFE_INTEGER).flatMap((event) => {
      const line = this.#lineOf(event);
      const former = this.#formerLineOf(event);
      return line === null
        ? []
        : [{ seq: event.seq, line: toBytes(line), former: former === null ? null : toBytes(former) }];
    });
    const repair = findRepair(
      buffer.toString('latin1'),
      lined.map(({ line }) => line),
      lined.map(({ former }) => former),
    );
    if (repair.prefix) this.#write(Buffer.from(repair.prefix, 'latin1'));
    this.#seq = lined[repair.present - 1]?.seq ?? seq;
  }
}
