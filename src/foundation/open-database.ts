import Database from 'better-sqlite3';

/**
 * Workaround for https://github.com/nodejs/node/issues/65446: an addon built on `node::ObjectWrap` and compiled with the
 * headers of Node 24.19 or newer aborts the process when one of its objects is garbage collected ("Assertion failed:
 * (env) != nullptr"). better-sqlite3 12 is one; 13 is not, but crashes on Node 20. There, neither a database that was
 * opened here nor its statements are ever let go. The list belongs to the process, because nothing that can be dropped
 * may own it. Closing gives back files, locks, caches and compiled statements; what stays is an empty shell of about
 * 1 kB per database or statement. So whoever opens databases by the minute keeps one open instead. Older Nodes hold
 * nothing.
 */
const held: object[] = [];

/** The first Node with such headers has this number for its addons; Node 20 (115) and Node 22 (127) are spared. */
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
