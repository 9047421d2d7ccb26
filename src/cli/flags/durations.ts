import { InvalidArgumentError } from 'commander';

const secondsOf = { d: 86_400, h: 3600, m: 60, s: 1 } as const;
type Unit = keyof typeof secondsOf;
const units = Object.keys(secondsOf) as Unit[];

/** A duration in seconds: `90s`, `5m`, `2h`, `1d`, `1h30m`, or a plain number of seconds; null for anything else. */
export function parseDuration(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (!parts || text === '') return null;
  return units.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * secondsOf[unit], 0);
}

/** Seconds as {@link parseDuration} reads them: `1h30m`. */
export function durationWords(seconds: number): string {
  if (!Number.isInteger(seconds)) return `${seconds}`;
  let rest = seconds;
  const parts = units.map((unit) => {
    const count = Math.floor(rest / secondsOf[unit]);
    rest -= count * secondsOf[unit];
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0s';
}

/** Which durations an option takes, in seconds. */
export interface DurationRange {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Also parts of a second. */
  readonly fractions?: boolean;
}

/** Reads a duration as an option's value, in seconds. */
export function toSeconds({ minimum = 0, maximum, fractions = false }: DurationRange) {
  const limits = maximum === undefined ? `at least ${durationWords(minimum)}` : between(minimum, maximum);
  return (text: string): number => {
    const seconds = parseDuration(text.trim());
    const allowed =
      seconds !== null &&
      seconds >= minimum &&
      seconds <= (maximum ?? Number.MAX_SAFE_INTEGER) &&
      (fractions || Number.isInteger(seconds));
    if (!allowed)
      throw new InvalidArgumentError(
        `It must be a duration, ${limits}: 90s, 5m, 2h, 1h30m, or a ${fractions ? '' : 'whole '}number of seconds such as 300.`,
      );
    return seconds;
  };
}

const between = (minimum: number, maximum: number): string =>
  `from ${durationWords(minimum)} to ${durationWords(maximum)}`;
