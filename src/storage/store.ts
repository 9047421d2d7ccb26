/** The part of a prepared statement that the tables use. */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: Parameters): { changes: number; lastInsertRowid: number | bigint };
}

/** One SQLite database, as tables and transactions see it. They never hold its connection, because it may be exchanged. */
export interface Store {
  prepare<Parameters extends unknown[] = [], Row = unknown>(source: string): Statement<Parameters, Row>;
  /** Runs `work` in one transaction that writes. @throws what `work` throws; nothing is changed then. */
  transact<T>(work: () => T): T;
  /**
   * Runs statements that only read, on one consistent state. They see everything that is committed, even before it is on disk.
   */
  readAtOnce<T>(work: () => T): T;
  /**
   * Syncs what is committed. @returns whether all of it is on disk; false when the disk refused it. Nothing may be written
   * meanwhile.
   */
  sync(): Promise<boolean>;
  /** Does the upkeep between two commits; null when none is due. Nothing may be written before it resolves; it never rejects. */
  tidy(): Promise<void> | null;
}

/**
 * The tables of one owner, written beside the statements that use them. All of these statements can run again on an existing
 * file.
 */
export interface TableSchema {
  tables: string;
  /** Runs after the columns were checked. */
  indexes?: string;
  /** Columns that an existing table must have: a file without them is refused. */
  columns?: Readonly<Record<string, readonly string[]>>;
}
