/** A page's cursor is the row it ended at: rows added later come before it and do not move it. */
export const encodeCursor = (rowid: number | null): string | null =>
  rowid === null ? null : Buffer.from(String(rowid)).toString('base64url');

/** @returns the row to go on from, the newest without a cursor. @param cursor as the contract's pattern has it: any other was refused. */
export const decodeCursor = (cursor: string | null): number =>
  cursor === null ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(cursor, 'base64url').toString('latin1'));
