import Database from 'better-sqlite3';

/**
 * better-sqlite3 12 aborts the process on Node 24 when a `Database` or `Statement` is garbage collected ("Assertion failed:
 * (env) != nullptr" in RemoveEnvironmentCleanupHook); version 13 does not, but crashes on Node 20. So neither a database
 * that was opened here nor its statements are ever let go; a program has a few dozen. Remove when Node 20 is given up and the pin with it.
 */
const held: object[] = [];

/** @throws the library's error, such as a path that cannot be opened. */
export function openDatabase(path: string, options: Database.Options = {}): Database.Database {
  const database = new Database(path, options);
  held.push(database);
  const prepare = database.prepare.bind(database);
  database.prepare = ((source: string) => {
    const statement = prepare(source);
    held.push(statement);
    return statement;
  }) as typeof database.prepare;
  return database;
}
