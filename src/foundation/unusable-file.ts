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
