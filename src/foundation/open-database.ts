import Database from 'better-sqlite3';

/**
 * Workaround for https://github.com/nodejs/node/issues/65446: an addon built on `node::ObjectWrap` and compiled with the headers
 * of Node 24.19 or newer aborts the process when one of its objects is garbage collected ("Assertion failed: (env) != nullptr").
 * better-sqlite3 12 is one; 13 is not, but crashes on Node 20. On the affected Nodes, the databases opened here and their
 * statements are never garbage collected. The list belongs to the process, because no object that can be garbage collected may
 * own it. Closing a database frees its files, locks, caches and compiled statements; an empty shell of about 1 kB per database or
 * statement stays. So code that would open a database every minute keeps one open instead. On older Nodes the list stays empty.
 */
const held: object[] = [];

/** The ABI number of the first Node with such headers; Node 20 (115) and Node 22 (127) are not affected. */
const firstAffectedAbi = 137;

/** @throws the library's error, such as a path that cannot be opened. */
export function openDatabase(path: string, options: Database.Options = {}): Database.Database {
  const database = new Database(path, options);
  database.pragma = () => {
    throw new Error('Use exec("PRAGMA …"): what pragma() prepares cannot be held (nodejs/node#65446).');
  };
  return Number(process.versions.modules) < firstAffectedAbi ? database : hold(database);
}

function hold(database: Database.Database): Database.Database {
  held.push(database);
  const prepare = database.prepare.bind(database);
  database.prepare = ((source: string) => {
    const statement = prepare(source);
    held.push(statement);
    return statement;
  }) as typeof database.prepare;
  return database;
}
