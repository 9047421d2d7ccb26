import { statSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.js';
import { FolderWatch } from '../../foundation/folders.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { rowOf, timeOf } from '../adapter/json-value.js';
import { FollowedFile } from './agent-files.js';
import { type Binder, evidenceOf, type RowFile, type SelfReportFact } from './self-report.js';

/** How far an agent's files were read. Plain data, so that another process can continue from it. */
export interface ReportMark {
  /** The time at which the first reporter began, in ISO 8601. */
  since: string;
  /** The start of the first row that was not read yet, in bytes, by path. */
  offsets: Readonly<Record<string, number>>;
}

export interface ReporterParts {
  binder: Binder;
  clock: Clock;
  /** The mark of an earlier reporter; null to report only what is written from now on. */
  from: ReportMark | null;
  onFact(fact: SelfReportFact): void;
  /**
   * Called once for each fault of the machine that keeps a file from being read. The sentence contains nothing of the
   * conversation.
   */
  onFault(sentence: string): void;
  /** The longest time in which a change without a file event may go unnoticed; null for the usual time. */
  recheckMilliseconds?: number | null;
}

/** The usual time between two checks: a check needs many file system calls, and an agent may be idle for days. */
const usualMilliseconds = 1000;
/** The number of bytes at the end of a file found late that are read: its earlier rows are older than the reporter. */
const lateBytes = 4 * 1024 * 1024;

/** Follows an agent's own reports until it is closed. It reads files and never writes. */
export class SelfReporter {
  readonly #parts: ReporterParts;
  readonly #since: string;
  readonly #watch: FolderWatch;
  readonly #files = new Map<string, FollowedFile>();
  readonly #faults = new Set<string>();
  readonly #closed = new AbortController();
  readonly #loop: Promise<void>;
  #checks: Promise<void> = Promise.resolve();
  #isFirstCheck = true;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
    this.#since = parts.from?.since ?? parts.clock.now().toISOString();
    this.#watch = new FolderWatch([], parts.clock, parts.recheckMilliseconds ?? usualMilliseconds);
    this.#loop = this.#run();
  }

  /**
   * Reads everything that is there by now. A fact that is reported after this resolves comes from a row that was completed later.
   */
  async mark(): Promise<ReportMark> {
    await this.#check();
    const offsets = [...this.#files].map(([path, file]) => [path, file.rowStart] as const);
    return { since: this.#since, offsets: Object.fromEntries(offsets) };
  }

  /** Ends the reports: no fact is reported after this call. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#loop;
    await this.#checks;
    this.#watch.close();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#check();
      await this.#watch.change(this.#closed.signal);
    }
  }

  /** Runs one check at a time, in the order of the calls. */
  #check(): Promise<void> {
    this.#checks = this.#checks.then(() => this.#checkOnce());
    return this.#checks;
  }

  async #checkOnce(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    try {
      const { facts, rowFiles, folders } = this.#parts.binder.check();
      this.#watch.watch(folders);
      for (const fact of facts) this.#pass(fact);
      for (const file of rowFiles) await this.#catchUp(file);
      this.#isFirstCheck = false;
    } catch (error) {
      this.#report("the agent's files", error as Error);
    }
  }

  async #catchUp(file: RowFile): Promise<void> {
    try {
      await this.#followed(file).catchUp();
    } catch (error) {
      this.#report(file.path, error as Error);
    }
  }

  #followed(file: RowFile): FollowedFile {
    const known = this.#files.get(file.path);
    if (known) return known;
    let reader = file.reader();
    const followed = new FollowedFile(file.path, this.#startOf(file.path), {
      line: (text, offset) => {
        const row = rowOf(text);
        if (row === null) return;
        const place = { file: file.shown, offset };
        const facts = reader.read(row, place);
        // A row with the last text of a turn ends that turn.
        const said = { place, at: timeOf(row.timestamp), evidence: evidenceOf('row', place) };
        for (const part of reader.said?.(row) ?? []) this.#pass({ kind: 'utterance', part, ...said });
        for (const fact of facts) this.#pass(fact);
      },
      restarted: () => {
        reader = file.reader();
      },
    });
    this.#files.set(file.path, followed);
    return followed;
  }

  #startOf(path: string): number {
    const marked = this.#parts.from?.offsets[path];
    if (marked !== undefined) return marked;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return this.#isFirstCheck && this.#parts.from === null ? size : Math.max(0, size - lateBytes);
  }

  /**
   * Reports a fact, unless it is older than the reporter: a conversation that was opened again, or copied, brings earlier rows.
   */
  #pass(fact: SelfReportFact): void {
    if (this.#closed.signal.aborted || (fact.at !== null && fact.at < this.#since)) return;
    this.#parts.onFact(fact);
  }

  #report(path: string, error: Error): void {
    const sentence = systemFaultOf(error, path) ?? `${path} could not be read: ${error.message}`;
    if (this.#faults.has(sentence)) return;
    this.#faults.add(sentence);
    this.#parts.onFault(sentence);
  }
}
