const leapYear = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const yearlyDay =
  '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const timeOfDay = '(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?|24:00(:00(\\.0{1,9})?)?)';
const offset = '([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])';

/** The form of an instant, in the signs that all dialects of regular expressions share: the contract has the same text. */
export const isoInstantPattern = `^([0-9]{4}-${yearlyDay}|${leapYear}-02-29)([Tt ]${timeOfDay}${offset}?)?$`;
const instant = new RegExp(isoInstantPattern);

/** A date that exists, or a date and time with or without offset, as ISO 8601 writes them. */
export const isIsoInstant = (text: string): boolean => instant.test(text);

/** Milliseconds since 1970. @param text an {@link isIsoInstant}; without an offset it is UTC. */
export function instantOf(text: string): number {
  if (text.length === 10) return Date.parse(text);
  const written = text.replace(/^(.{10})[Tt ]/, '$1T').replace(/z$/, 'Z');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(written) ? written : `${written}Z`);
}
