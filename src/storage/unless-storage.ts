import { isWholeDatabase } from './storage-fault.js';

/** Passes an error on, unless it is a fault of the whole database, which StorageWatch has reported. */
export function unlessStorage(error: unknown, handle: (error: Error) => void): void {
  if (!isWholeDatabase(error)) handle(error as Error);
}

/** Reports that a loop hit an internal error and goes on; StorageWatch has reported a fault of the whole database. */
export const reportAndGoOn =
  (who: string, report: (fault: string) => void) =>
  (error: unknown): void =>
    unlessStorage(error, ({ message }) => report(`${who} hit an internal error and goes on: ${message}`));
