import { closeSync, fdatasync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../foundation/make-folder.js';
import { type FileSize, setAside } from '../foundation/set-aside.js';
import type { Statement, Store, TableSchema } from '../storage/store.js';
import type { EventTable, StoredEvent } from './event-table.js';

/** The position of a projection when its checkpoint was last written: the event, and the length of the file. */
interface Checkpoint {
  seq: number;
  bytes: number;
}

export const projectionSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS projections (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
`,
};

/** The `projections` table. */
export class ProjectionTable {
  readonly #get: Statement<[string], Checkpoint>;
  readonly #put: Statement<[string, number, number]>;

  constructor(store: Store) {
    this.#get = store.prepare('SELECT seq, bytes FROM projections WHERE name = ?');
    this.#put = store.prepare(
      'INSERT INTO projections (name, seq, bytes) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, bytes = excluded.bytes',
    );
  }

  checkpoint(name: string): Checkpoint {
    return this.#get.get(name) ?? { seq: 0, bytes: 0 };
  }

  note(name: string, checkpoint: Checkpoint): void {
    this.#put.run(name, checkpoint.seq, checkpoint.bytes);
  }
}

// A projection is a file that follows the events of the database:
//
//   behind ──repair──▶ in step ──follow──▶ in step
//      ▲                  │  │
//      └─── failed write ─┘  └──set aside──▶ held ──its checkpoint stored──▶ in step
//
// It opens `behind`: a crash may have cut its last line. A write that failed halfway leaves it in the same state. While it is
// held, nothing is written: the checkpoint still speaks of the file that was set aside.

/** The line of an event in this file, without newline; null when the event has none. */
export type LineOf = (event: StoredEvent) => string | null;

const batchSize = 500;
/** The bytes that are read for the time of the first line. */
const firstBytes = 64 * 1024;
/** The empty file that will be in the place of one that is set aside. */
const nextName = (path: string): string => `${path}.next`;
/** Represents each byte by one character, because a line may be cut inside a character. */
const toBytes = (line: string): string => Buffer.from(line).toString('latin1');
const syncData = promisify(fdatasync);

/**
 * A file that follows the events: no line is missing or doubled, even after a crash. The checkpoint in the database may
 * lag behind the file; a repair compares the two.
 */
export class Projection {
  readonly name: string;
  readonly path: string;
  #file: number;
  readonly #lineOf: LineOf;
  readonly #events: EventTable;
  readonly #checkpoints: ProjectionTable;
  #seq: number;
  /** The checkpoint at which a repair begins to compare. */
  #known: Checkpoint;
  #noted: number;
  #inStep = false;
  #noting = false;
  #held = false;
  /** Whether the file was set aside and its checkpoint does not say so yet. */
  #unrecorded = false;
  /** The time of the first line; undefined while it is not read. */
  #begun: number | null | undefined;

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
    makeFolder(dirname(path), 0o700);
    rmSync(nextName(path), { force: true });
    const projection = new Projection(name, path, openSync(path, 'a+', 0o600), lineOf, events, checkpoints);
    projection.#recordShorter();
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
    if (this.#held) return;
    const known = this.#inStep && fresh !== undefined && (fresh[0]?.seq ?? this.#seq + 1) === this.#seq + 1;
    if (!this.#inStep) this.#repair();
    this.#inStep = false;
    if (known) this.#append(fresh);
    else this.#catchUp();
    this.#inStep = true;
  }

  /**
   * Writes the checkpoint. The caller chooses when: an old checkpoint only makes a repair compare more.
   * @param write runs work in a transaction.
   * @throws the error of the file system or of `write`.
   */
  async note(write: (work: () => void) => Promise<unknown>): Promise<void> {
    if (this.#unrecorded) return this.#record(write);
    if (!this.#inStep || this.#seq === this.#noted || this.#noting) return;
    const reached = { seq: this.#seq, bytes: fstatSync(this.#file).size };
    // A file whose sync has failed once gets no further checkpoint: a later sync that succeeds would prove nothing, and
    // the next start finds what is missing after the last checkpoint.
    this.#noting = true;
    // The checkpoint survives a power loss, so the lines it counts must too.
    await syncData(this.#file);
    this.#noting = false;
    await write(() => this.#checkpoints.note(this.name, reached));
    this.#known = reached;
    this.#noted = reached.seq;
  }

  size(): FileSize {
    const { size } = fstatSync(this.#file);
    if (this.#begun === undefined && size > 0) this.#begun = timeOfLine(this.#firstText());
    return { bytes: size, begun: this.#begun ?? null };
  }

  /**
   * Sets the file aside, and goes on in an empty one. The checkpoint comes first and says how far the old file goes: a process that
   * dies anywhere in between leaves a file that is shorter than its checkpoint, and the next one goes on behind that event.
   * @param kept the number of files aside that stay.
   * @throws the error of the file system or of `write`; the next call goes on where this one stopped.
   */
  async setAside(kept: number, write: (work: () => void) => Promise<unknown>): Promise<void> {
    if (!this.#inStep || this.#noting || this.#held) return;
    this.#held = true;
    try {
      await this.note(write);
      this.#begin(kept);
      this.#known = { seq: this.#seq, bytes: 0 };
      this.#unrecorded = true;
    } finally {
      if (!this.#unrecorded) this.#release();
    }
    await this.#record(write);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Puts an empty file in the place of this one. It is made first, so that a disk that refuses it changes nothing. */
  #begin(kept: number): void {
    const next = nextName(this.path);
    const file = openSync(next, 'a+', 0o600);
    try {
      setAside(this.path, kept);
      renameSync(next, this.path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    closeSync(this.#file);
    this.#file = file;
    this.#begun = undefined;
  }

  async #record(write: (work: () => void) => Promise<unknown>): Promise<void> {
    await write(() => this.#checkpoints.note(this.name, this.#known));
    this.#unrecorded = false;
    this.#release();
  }

  #release(): void {
    this.#held = false;
    try {
      this.follow();
    } catch {
      // The next call meets it again, and its caller reports it.
    }
  }

  /**
   * Records that the file is shorter than its checkpoint says, before anything is written to it: a process died while it set the
   * file aside, or another program did so or truncated it. Lines from before the checkpoint are not written again.
   */
  #recordShorter(): void {
    if (fstatSync(this.#file).size >= this.#known.bytes) return;
    this.#known = { seq: this.#known.seq, bytes: 0 };
    this.#checkpoints.note(this.name, this.#known);
  }

  #firstText(): string {
    const buffer = Buffer.alloc(firstBytes);
    return buffer.toString('utf8', 0, readSync(this.#file, buffer, 0, firstBytes, 0)).split('\n', 1)[0] ?? '';
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

  /** Writes all bytes: a full disk may take part of a write before it refuses the rest. */
  #write(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }

  #repair(): void {
    const { seq, bytes: from } = this.#known;
    this.#seq = seq;
    const size = fstatSync(this.#file).size;
    // Nothing follows the checkpoint. A file shorter than that was truncated by another program; its former lines are not
    // written again.
    if (size <= from) return;
    const buffer = Buffer.alloc(size - from);
    readSync(this.#file, buffer, 0, buffer.length, from);
    const lined = this.#events.readAfter(seq, Number.MAX_SAFE_INTEGER).flatMap((event) => {
      const line = this.#lineOf(event);
      return line === null ? [] : [{ seq: event.seq, line: toBytes(line) }];
    });
    const repair = findRepair(
      buffer.toString('latin1'),
      lined.map(({ line }) => line),
    );
    if (repair.prefix) this.#write(Buffer.from(repair.prefix, 'latin1'));
    this.#seq = lined[repair.present - 1]?.seq ?? seq;
  }
}

/** Pure: returns the time of a line of `gateway.log` or `events.jsonl`, in milliseconds; null when it says none. */
export function timeOfLine(line: string): number | null {
  const [stamp] = /^\d{4}-\d\d-\d\dT[^\s"]+|(?<="at_utc":")[^"]+/.exec(line) ?? [];
  const time = stamp === undefined ? Number.NaN : Date.parse(stamp);
  return Number.isNaN(time) ? null : time;
}

/** The repair that a projection file needs after a crash. */
export interface Repair {
  /** The text to append first: the rest of a line that was cut in two, or a newline after foreign text. */
  prefix: string;
  /** The number of expected lines that are in the file already, including the one that `prefix` completes. */
  present: number;
}

/**
 * Compares the tail of a projection file (from its checkpoint on) with the lines that should be there. Lines were written
 * in order, so those present are found by walking both. Lines of other programs between them (a crash report on a shared
 * log) are skipped, and foreign text without its newline may stand before one of our lines. The last line may be cut: it
 * is completed, not doubled.
 * @param expected lines without newline, oldest first.
 */
export function findRepair(tail: string, expected: readonly string[]): Repair {
  const lines = tail.split('\n');
  const cut = lines.pop() ?? '';
  let present = 0;
  for (const line of lines)
    if (present < expected.length && line.endsWith(expected[present] ?? '')) present += 1;
  const next = expected[present];
  if (cut === '') return { prefix: '', present };
  if (next?.startsWith(cut)) return { prefix: `${next.slice(cut.length)}\n`, present: present + 1 };
  // A line that is complete except for its newline may follow text of another program.
  return { prefix: '\n', present: next !== undefined && cut.endsWith(next) ? present + 1 : present };
}
