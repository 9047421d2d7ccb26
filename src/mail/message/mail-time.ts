const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** `2026-03-13T09:15:30Z`: whole seconds with a `Z`. */
export const toMailStamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** `20260313T091530Z`, for names of files and ids. */
export const toCompactMailStamp = (date: Date): string => toMailStamp(date).replace(/[-:]/g, '');

/** A moment in the canonical form, its fraction cut off; null where the text is none. */
export function parseMailStamp(text: string): string | null {
  const [, day, time] = pattern.exec(text) ?? [];
  const stamp = `${day}T${time}Z`;
  // February has no 30th: the engine would make it March.
  const date = new Date(stamp);
  return Number.isNaN(date.getTime()) || toMailStamp(date) !== stamp ? null : stamp;
}
