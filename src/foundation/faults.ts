/** A file that exists but cannot be used. Nothing overwrites it; the message names the path and the remedy. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly path: string;
  readonly reason: string;
  /** The remedy; null where the reason contains it, or none is known. */
  readonly remedy: string | null;

  constructor(path: string, reason: string, remedy: string | null = null) {
    super(`${path}: ${reason}${remedy === null ? '' : `; ${remedy}`}`);
    this.path = path;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** @returns null where the file that is read cannot be used ({@link UnusableFile}). */
export function unlessUnusable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableFile) return null;
    throw error;
  }
}

/**
 * Thrown by a handler that cannot do its work now but may be able to later. Its message goes to the caller, with 503; with 500
 * where the outcome is unknown, so that no client takes the answer for a refusal.
 */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  readonly status: 500 | 503;
  constructor(message: string, status: 500 | 503 = 503) {
    super(message);
    this.status = status;
  }
}
