const instant = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A date, or a date and time with or without offset, as ISO 8601 writes them. */
export function isIsoInstant(text: string): boolean {
  if (!instant.test(text)) return false;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  const exists = date.getUTCMonth() === (month ?? 0) - 1 && date.getUTCDate() === day;
  return exists && !Number.isNaN(Date.parse(text.length === 10 ? text : text.replace(' ', 'T')));
}

/** Milliseconds since 1970. @param text an {@link isIsoInstant}; without an offset it is UTC. */
export function instantOf(text: string): number {
  if (text.length === 10) return Date.parse(text);
  const written = text.replace(/^(.{10})[Tt ]/, '$1T').replace(/z$/, 'Z');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(written) ? written : `${written}Z`);
}
