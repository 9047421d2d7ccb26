import Database from 'better-sqlite3';

/**
 * better-sqlite3 12 aborts the process on Node 24 when a `Database` object is garbage collected ("Assertion failed:
 * (env) != nullptr" in RemoveEnvironmentCleanupHook); version 13 does not, but crashes on Node 20. So no database that was
 * opened here is ever let go; a program opens two. Remove when Node 20 is given up and the pin with it.
 */
const held: Database.Database[] = [];

/** @throws the library's error, such as a path that cannot be opened. */
export function openDatabase(path: string, options: Database.Options = {}): Database.Database {
  const database = new Database(path, options);
  held.push(database);
  return database;
}
