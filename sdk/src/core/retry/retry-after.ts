/**
 * Returns the milliseconds of a `Retry-After`, which is in seconds or a date; 0 for a date in the past, null for anything else.
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // `Date.parse` also accepts numbers and words; dates of HTTP begin with the day of the week.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
