/**
 * The milliseconds that a `Retry-After` asks for, given in seconds or as a date; 0 for a date that is past, null for
 * anything else.
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // `Date.parse` takes numbers and words for dates; HTTP's begin with the day of the week.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
