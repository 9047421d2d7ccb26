import { openDatabase } from '../../../foundation/open-database.js';

/** Copies a SQLite file as it is between two transactions of whoever writes it, into a file that is not there yet. */
export async function copyState(source: string, target: string): Promise<void> {
  const database = openDatabase(source, { readonly: true, fileMustExist: true });
  try {
    await database.backup(target);
  } finally {
    database.close();
  }
}
