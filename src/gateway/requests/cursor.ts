/** A page's cursor is the row it ended at: rows added later come before it and do not move it. */
export const encodeCursor = (rowid: number | null): string | null =>
  rowid === null ? null : Buffer.from(String(rowid)).toString('base64url');

/** @returns the row to go on from (the newest without a cursor), or null when the text is not a cursor. */
export function decodeCursor(cursor: string | null): number | null {
  if (cursor === null) return Number.MAX_SAFE_INTEGER;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const rowid = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(rowid) && encodeCursor(rowid) === cursor
    ? rowid
    : null;
}
