/** `2026-03-13T00:00:00+00:00`: whole seconds, numeric offset (docs/decisions.md#times). */
export const toSecondStamp = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

/** `2026-03-13T00:00:00.250000+00:00`; without a fraction when it is zero (docs/decisions.md#times). */
export function toMicrosecondStamp(date: Date): string {
  const fraction = date.getTime() % 1000 === 0 ? '' : `.${date.toISOString().slice(20, 23)}000`;
  return `${date.toISOString().slice(0, 19)}${fraction}+00:00`;
}

/** `2026-03-13T00:00:00.250000Z`: always with its fraction. */
export const toMicrosecondZulu = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;

/** `20260313-000000`: the time part of ids and folder names. */
export function toCompactStamp(date: Date): string {
  const iso = date.toISOString();
  const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10);
  return `${day}-${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}`;
}

/** A stamp of whole seconds that is made once for all moments of the same second, which follow each other closely. */
export function oncePerSecond(stampOf: (date: Date) => string): (date: Date) => string {
  let second = Number.NaN;
  let stamp = '';
  return (date) => {
    const now = Math.floor(date.getTime() / 1000);
    if (now !== second) {
      second = now;
      stamp = stampOf(date);
    }
    return stamp;
  };
}
