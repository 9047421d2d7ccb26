import { closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
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

/**
 * A file that follows the events: nothing is missing, nothing doubled, also after a crash. The checkpoint in the
 * database may lag behind the file; a repair compares the two.
 */
export class Projection {
  readonly name: string;
  readonly path: string;
  readonly #file: number;
  readonly #lineOf: LineOf;
  readonly #events: EventTable;
  readonly #checkpoints: ProjectionTable;
  #seq: number;
  /** Where a repair begins to compare. */
  #known: Checkpoint;
  #noted: number;
  #inStep = false;

  private constructor(
    name: string,
    path: string,
    file: number,
    lineOf: LineOf,
    events: EventTable,
    checkpoints: ProjectionTable,
  ) {
    this.name = name;
    this.path = path;
    this.#file = file;
    this.#lineOf = lineOf;
    this.#events = events;
    this.#checkpoints = checkpoints;
    this.#known = checkpoints.checkpoint(name);
    this.#seq = this.#known.seq;
    this.#noted = this.#known.seq;
  }

  /** Opens the file and brings it up to date. */
  static open(
    name: string,
    path: string,
    lineOf: LineOf,
    events: EventTable,
    checkpoints: ProjectionTable,
  ): Projection {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const projection = new Projection(name, path, openSync(path, 'a+', 0o600), lineOf, events, checkpoints);
    projection.follow();
    return projection;
  }

  /**
   * Appends the lines of all events since the last call.
   * @param fresh the events of the last commit, when the caller has them at hand: reading them back costs more than
   *   the rest of a commit.
   * @throws the file system's error; the next call mends what this one left half done.
   */
  follow(fresh?: readonly StoredEvent[]): void {
    const known = this.#inStep && fresh !== undefined && (fresh[0]?.seq ?? this.#seq + 1) === this.#seq + 1;
    if (!this.#inStep) this.#repair();
    this.#inStep = false;
    if (known) this.#append(fresh);
    else this.#catchUp();
    this.#inStep = true;
  }

  /** Notes in the database how far the file has come. The caller chooses when: a lagging note only costs comparing. */
  note(): void {
    if (!this.#inStep || this.#seq === this.#noted) return;
    // The note survives a power loss, so what it speaks of must.
    fdatasyncSync(this.#file);
    this.#known = { seq: this.#seq, bytes: fstatSync(this.#file).size };
    this.#checkpoints.note(this.name, this.#known);
    this.#noted = this.#seq;
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

  /** A full disk takes a part first and refuses the rest. */
  #write(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }

  #repair(): void {
    const { seq, bytes: from } = this.#known;
    this.#seq = seq;
    const size = fstatSync(this.#file).size;
    // Shorter than noted: somebody truncated or rotated it. What was in it is theirs; go on with what follows.
    if (size <= from) return;
    const buffer = Buffer.alloc(size - from);
    readSync(this.#file, buffer, 0, buffer.length, from);
    const lined = this.#events.readAfter(seq, Number.MAX_SAFE_INTEGER).flatMap((event) => {
      const line = this.#lineOf(event);
      // One character per byte: a line may be cut inside a character.
      return line === null ? [] : [{ seq: event.seq, line: Buffer.from(line).toString('latin1') }];
    });
    const repair = findRepair(
      buffer.toString('latin1'),
      lined.map(({ line }) => line),
    );
    if (repair.prefix) this.#write(Buffer.from(repair.prefix, 'latin1'));
    this.#seq = lined[repair.present - 1]?.seq ?? seq;
  }
}
