import type Database from 'better-sqlite3';
import type { Statement, Store } from '../../src/storage/store.js';

/** A plain connection as tables see it, without a watch over its files. */
export const storeOver = (database: Database.Database): Store => ({
  prepare: <Parameters extends unknown[], Row>(source: string) =>
    database.prepare(source) as unknown as Statement<Parameters, Row>,
  transact: (work) => database.transaction(work).immediate(),
  readAtOnce: (work) => database.transaction(work).deferred(),
  sync: async () => true,
  tidy: () => null,
});
