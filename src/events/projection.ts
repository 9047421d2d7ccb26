import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { findRepair } from './catch-up.js';
import type { EventTable, StoredEvent } from './event-table.js';
import type { ProjectionTable } from './projection-table.js';

/** The line of an event in this file, without newline; null when the event has none. */
export type LineOf = (event: StoredEvent) => string | null;

const batchSize = 500;

/**
 * A file that follows the events: nothing is missing, nothing doubled, also after a crash. The checkpoint in the
 * database may lag behind the file; {@link Projection.open} compares the two.
 */
export class Projection {
  readonly name: string;
  readonly #file: number;
  readonly #lineOf: LineOf;
  readonly #events: EventTable;
  readonly #checkpoints: ProjectionTable;
  #seq: number;

  private constructor(
    name: string,
    file: number,
    lineOf: LineOf,
    events: EventTable,
    checkpoints: ProjectionTable,
  ) {
    this.name = name;
    this.#file = file;
    this.#lineOf = lineOf;
    this.#events = events;
    this.#checkpoints = checkpoints;
    this.#seq = checkpoints.checkpoint(name).seq;
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
    const projection = new Projection(name, openSync(path, 'a+', 0o600), lineOf, events, checkpoints);
    projection.#repair(checkpoints.checkpoint(name).bytes);
    projection.follow();
    return projection;
  }

  /** Appends the lines of all events since the last call. */
  follow(): void {
    for (;;) {
      const events = this.#events.readAfter(this.#seq, batchSize);
      if (events.length === 0) return;
      const lines = events.map(this.#lineOf).filter((line) => line !== null);
      if (lines.length > 0) writeSync(this.#file, `${lines.join('\n')}\n`);
      this.#seq = events.at(-1)?.seq ?? this.#seq;
      if (events.length < batchSize) return;
    }
  }

  /** Notes in the database how far the file has come. The caller chooses when: a lagging note only costs comparing. */
  note(): void {
    this.#checkpoints.note(this.name, { seq: this.#seq, bytes: fstatSync(this.#file).size });
  }

  close(): void {
    closeSync(this.#file);
  }

  #repair(from: number): void {
    const size = fstatSync(this.#file).size;
    // Shorter than noted: somebody truncated or rotated it. What was in it is theirs; go on with what follows.
    if (size <= from) return;
    const buffer = Buffer.alloc(size - from);
    readSync(this.#file, buffer, 0, buffer.length, from);
    const events = this.#events.readAfter(this.#seq, Number.MAX_SAFE_INTEGER);
    const lined = events.flatMap((event) => {
      const line = this.#lineOf(event);
      return line === null ? [] : [{ seq: event.seq, line }];
    });
    const repair = findRepair(
      buffer.toString('utf8'),
      lined.map(({ line }) => line),
    );
    if (repair.prefix) writeSync(this.#file, repair.prefix);
    const last = lined[repair.present - 1];
    if (last) this.#seq = last.seq;
  }
}
