/** A page's cursor is the row it ended at: rows added later come before it and do not move it. */
export const encodeCursor = (rowid: number | null): string | null =>
  rowid === null ? null : Buffer.from(String(rowid)).toString('base64url');

/**
 * The row to go on from; the newest without a cursor.
 * @param cursor a text that the contract's pattern lets through.
 */
export const decodeCursor = (cursor: string | null): number =>
  cursor === null ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(cursor, 'base64url').toString('latin1'));
