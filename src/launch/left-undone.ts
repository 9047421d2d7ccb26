import { UnusableFile } from '../foundation/unusable-file.js';

/**
 * What is done stays done, whatever cannot be told of it: a file that cannot be used is left as it is, and named once.
 * @throws what is no {@link UnusableFile}.
 */
export function noteUnusable(error: unknown, leftUndone: string[]): void {
  if (!(error instanceof UnusableFile)) throw error;
  const { path, reason, remedy } = error;
  const todo = remedy === null ? '' : `; ${remedy}`;
  const left = `${path} cannot be used (${reason}): it was left as it is, and the files that depend on it were not updated${todo}.`;
  if (!leftUndone.includes(left)) leftUndone.push(left);
}
