/** Since when the screen is not understood, in milliseconds of a monotonic clock; null while it is. */
export type NotUnderstoodSince = number | null;

/** Counts from the first look that was not understood; a look that could not be taken says nothing about the screen. */
export function notUnderstoodSince(
  previous: NotUnderstoodSince,
  read: 'understood' | 'not_understood' | 'no_screen',
  at: number,
): NotUnderstoodSince {
  if (read === 'not_understood') return previous ?? at;
  return read === 'understood' ? null : previous;
}

export const isStalled = (since: NotUnderstoodSince, at: number, timeoutSeconds: number): boolean =>
  since !== null && at - since >= timeoutSeconds * 1000;
