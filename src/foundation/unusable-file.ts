/** A file that is there but cannot be used. Nothing overwrites it; the message names the path and the remedy. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly path: string;
  readonly reason: string;
  /** What to do about it; null where the reason says it, or nobody knows. */
  readonly remedy: string | null;

  constructor(path: string, reason: string, remedy: string | null = null) {
    super(`${path}: ${reason}${remedy === null ? '' : `; ${remedy}`}`);
    this.path = path;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** @returns null where what is read cannot be used. */
export function unlessUnusable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableFile) return null;
    throw error;
  }
}
