import Database from 'better-sqlite3';

/**
 * Workaround for https://github.com/nodejs/node/issues/65446: an addon built on `node::ObjectWrap` and compiled with the
 * headers of Node 24.19 or newer aborts the process when one of its objects is garbage collected ("Assertion failed:
 * (env) != nullptr"). better-sqlite3 12 is one; 13 is not, but crashes on Node 20. So neither a database that was opened
 * here nor its statements are ever let go; a program has a few dozen. `pragma` makes a statement that nobody can hold.
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
  database.pragma = () => {
    throw new Error('Use exec("PRAGMA …"): what pragma() prepares cannot be held (nodejs/node#65446).');
  };
  return database;
}
