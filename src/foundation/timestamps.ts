/** `2026-03-13T00:00:00+00:00`: whole seconds, numeric offset (gateway §1.1, T-sec). */
export const toSecondStamp = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

/** `2026-03-13T00:00:00.250000+00:00`; without a fraction when it is zero (gateway §1.1, T-usec). */
export function toMicrosecondStamp(date: Date): string {
  const fraction = date.getTime() % 1000 === 0 ? '' : `.${date.toISOString().slice(20, 23)}000`;
  return `${date.toISOString().slice(0, 19)}${fraction}+00:00`;
}

/** `20260313-000000`: the time part of ids and folder names. */
export function toCompactStamp(date: Date): string {
  const digits = date.toISOString().replace(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
}
