/** Prints an ISO 8601 time for people. */
export type TimeWords = (iso: string) => string;

/**
 * Prints `14:03:22 (2 min ago)`, in the time zone of this machine; with the date when it is not today's. A text that is no time
 * is returned unchanged.
 */
export function localTime(iso: string, now: Date): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const [date, time] = localParts(at);
  const shown = date === localParts(now)[0] ? time : `${date} ${time}`;
  return `${shown} (${ageWords(now.getTime() - at.getTime())})`;
}

/** Prints `2026-03-13 14:03:22`, for columns of times that are compared. */
export function localStamp(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return localParts(at).join(' ');
}

const two = (value: number): string => String(value).padStart(2, '0');

const localParts = (at: Date): [date: string, time: string] => [
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
  `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`,
];

const units: readonly [name: string, seconds: number][] = [
  ['days', 24 * 60 * 60],
  ['h', 60 * 60],
  ['min', 60],
  ['s', 1],
];

/** Prints `2 min ago`, `in 3 h` or `now`, in the largest unit that fits at least twice, so that an hour and a half is 90 min. */
export function ageWords(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds === 0) return 'now';
  const [name, size] = units.find(([, unit]) => seconds >= 2 * unit) ?? ['s', 1];
  const amount = `${Math.floor(seconds / size)} ${name}`;
  return milliseconds > 0 ? `${amount} ago` : `in ${amount}`;
}
