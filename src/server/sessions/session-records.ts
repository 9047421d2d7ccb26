import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { PromptMetadata } from '../../contract/prompt-metadata.js';
import { pausedSql } from '../../dispatch/queue/queue-tables.js';
import { promptPreview } from '../../dispatch/queue/request-records.js';
import { requestSql } from '../../dispatch/queue/request-table.js';
import { eventSql, type StoredEvent } from '../../events/event-table.js';
import { openDatabase } from '../../foundation/open-database.js';
import { findKeySql, type KeyedCall, type KeyScope } from '../../storage/idempotency-keys.js';
import { metadataBySubject, metadataSql, subjectOf } from '../../turn/prompt-metadata.js';
import { interruptSql } from '../../turn/turn-schema.js';
import { type TurnRow, turnSql, withLabels } from '../../turn/turn-table.js';
import { type DayRange, toUsageDay, type UsageDay, type UsageRow, usageSql } from '../../turn/usage-days.js';

/** A prompt or an interrupt that a gateway took under a key. */
export interface QueuedSubmission {
  request_id: string;
  request_kind: string;
  payload_json: string;
  result_json: string | null;
}

/** A request of a gateway's queue that neither waits nor runs any more. */
export interface EndedRequest {
  request_id: string;
  state: string;
  error_detail: string | null;
}

/** The part of a database that is needed for reading. */
interface Readable {
  prepare(source: string): { all(...parameters: unknown[]): unknown[] };
}

/**
 * The records of a session, whichever program wrote them; one statement per method. A table that does not exist yet
 * counts as empty.
 */
export class SessionRecords {
  readonly #store: Readable;
  readonly #prepared = new Map<string, ReturnType<Readable['prepare']>>();

  constructor(store: Readable) {
    this.#store = store;
  }

  turn(turnId: string): TurnRow | null {
    const [row] = this.#all<TurnRow>(turnSql.find, turnId);
    return row ? withLabels(row, this.metadata(subjectOf(row)) ?? undefined) : null;
  }
  /** Returns the labels of a prompt, by its request or direct turn; null for one without any. */
  metadata(subject: string): PromptMetadata | null {
    return metadataBySubject(this.#all(metadataSql, JSON.stringify([subject]))).get(subject) ?? null;
  }
  /** Returns turns, the latest begun first, with only the beginning of their answers. */
  newest(limit: number): TurnRow[] {
    return this.#all(turnSql.newest, limit);
  }
  running(): TurnRow | null {
    return this.#all<TurnRow>(turnSql.running).at(-1) ?? null;
  }
  /** Returns when an interrupt of a running turn was requested. */
  interruptRequested(turnId: string): string | null {
    const [row] = this.#all<{ requested_at_utc: string }>(interruptSql.requestedAt, turnId);
    return row?.requested_at_utc ?? null;
  }
  /** Returns the turn that ended last. */
  latestEnded(): TurnRow | null {
    return this.#all<TurnRow>(turnSql.latestEnded)[0] ?? null;
  }
  /** Returns the index that the next turn will have. */
  nextIndex(): number {
    const [row] = this.#all<{ last: number | null }>(turnSql.lastIndex);
    return (row?.last ?? 0) + 1;
  }
  /** Returns the request in a gateway's queue whose prompt is to become that turn. */
  waitingFor(turnId: string): string | null {
    return this.#all<{ request_id: string }>(requestSql.waitingForTurn, turnId)[0]?.request_id ?? null;
  }
  /** Returns the request that named that turn and ended before it, which few do: completed ones have had their turn. */
  endedFor(turnId: string): EndedRequest | null {
    return this.#all<EndedRequest>(requestSql.endedBeforeTurn, turnId)[0] ?? null;
  }
  /** Returns events of its gateway and of its turns, oldest first. */
  eventsAfter(seq: number, limit: number): StoredEvent[] {
    return this.#all(eventSql.after, seq, Number.MAX_SAFE_INTEGER, limit);
  }
  /** Returns the number of the last event; 0 when there is none. */
  lastEvent(): number {
    const [row] = this.#all<{ seq: number | null }>(eventSql.last, Number.MAX_SAFE_INTEGER);
    return row?.seq ?? 0;
  }
  /** Returns the number of requests that wait in the queue of its gateway. */
  waiting(): number {
    return this.#all<{ waiting: number }>(requestSql.waiting)[0]?.waiting ?? 0;
  }
  /** Returns the beginning of the prompt of a request; null for one that has none. */
  promptPreview(requestId: string): string | null {
    const [row] = this.#all<{ payload_json: string }>(requestSql.payload, requestId);
    return row ? promptPreview(row) : null;
  }
  /** Returns what the turns used that ended in a period; from the turns themselves where an older release wrote the records. */
  usage({ from, to }: DayRange): UsageDay[] {
    const hasDays = this.#all(usageSql.hasDays).length > 0;
    const rows = this.#all<UsageRow>(hasDays ? usageSql.between : usageSql.ofTurnsBetween, from, to);
    return rows.map(toUsageDay);
  }
  /** Returns whether the queue of its gateway takes requests and starts none. */
  isQueuePaused(): boolean {
    return this.#all<{ paused: number }>(pausedSql)[0]?.paused === 1;
  }
  /** Returns the prompt or interrupt that a server gave the agent under that key. */
  submission(key: string): KeyedCall | null {
    const scope: KeyScope = 'server';
    return this.#all<KeyedCall>(findKeySql, scope, key)[0] ?? null;
  }
  queuedSubmission(key: string): QueuedSubmission | null {
    return this.#all<QueuedSubmission>(requestSql.underKey, key)[0] ?? null;
  }

  #all<Row>(source: string, ...parameters: unknown[]): Row[] {
    try {
      let statement = this.#prepared.get(source);
      if (!statement) {
        statement = this.#store.prepare(source);
        this.#prepared.set(source, statement);
      }
      return statement.all(...parameters) as Row[];
    } catch (error) {
      if ((error as Error).message.startsWith('no such table')) return [];
      throw error;
    }
  }
}

/** The longest wait for a lock: readers only wait for a program that is just opening or closing the database. */
const lockMilliseconds = 250;

/**
 * The errors that opening the database again does not cure; each opening leaves something behind
 * (foundation/open-database.ts).
 */
const staysOpen = /^SQLITE_(BUSY|NOTADB|CORRUPT)/;

/** The error of records that cannot be read now. The message is a sentence for callers, without a path. */
export class RecordsUnreadable extends Error {
  override readonly name = 'RecordsUnreadable';
}

/**
 * The reader of a session's database, which another program may own, and may be killed while it writes. The database is
 * opened at the first read and stays open; it is closed before this process itself writes there, since closing drops the
 * locks that a process has on a file.
 */
export class ParkedReader {
  readonly #path: string;
  #open: { database: Database.Database; records: SessionRecords; inode: number } | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param nothing the result for a session without any record.
   * @throws {RecordsUnreadable}
   */
  read<T>(work: (records: SessionRecords) => T, nothing: T): T {
    try {
      const records = this.#records();
      return records ? work(records) : nothing;
    } catch (error) {
      const { code = 'unknown' } = error as { code?: string };
      if (!staysOpen.test(code)) this.close();
      throw new RecordsUnreadable(`The records of the session cannot be read now (${code}).`, {
        cause: error,
      });
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = null;
  }

  /** Returns null where there is no database yet. */
  #records(): SessionRecords | null {
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino ?? null;
    if (this.#open?.inode !== inode) this.close();
    if (inode === null) return null;
    if (!this.#open) {
      // Not opened read-only: the unfinished work of a killed writer has to be recovered first.
      const database = openDatabase(this.#path, { timeout: lockMilliseconds, fileMustExist: true });
      database.exec('PRAGMA query_only = ON');
      this.#open = { database, records: new SessionRecords(database), inode };
    }
    return this.#open.records;
  }
}
