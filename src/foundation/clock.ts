/** The only source of time; tests inject their own. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never step back; only differences are meaningful. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Milliseconds. Drift and slow corrections of the clock stay below this. */
const toleranceMilliseconds = 60_000;

/** Detects that the wall clock was set: its distance from the monotonic clock has changed then. */
export class ClockJump {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = offsetOf(clock);
  }

  /** Returns by how many milliseconds the clock was set since the last call; 0 when it was not set. */
  check(): number {
    const offset = offsetOf(this.#clock);
    const jump = offset - this.#offset;
    this.#offset = offset;
    return Math.abs(jump) > toleranceMilliseconds ? jump : 0;
  }
}

const offsetOf = (clock: Clock): number => clock.now().getTime() - clock.monotonic();

/** Writes `2026-03-13T00:00:00+00:00`: whole seconds, numeric offset (docs/decisions.md#times). */
export const toSecondStamp = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

/** Writes `2026-03-13T00:00:00.250000+00:00`; without a fraction when it is zero (docs/decisions.md#times). */
export function toMicrosecondStamp(date: Date): string {
  const fraction = date.getTime() % 1000 === 0 ? '' : `.${date.toISOString().slice(20, 23)}000`;
  return `${date.toISOString().slice(0, 19)}${fraction}+00:00`;
}

/** Writes `2026-03-13T00:00:00.250000Z`: always with its fraction. */
export const toMicrosecondZulu = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;

/** Writes `20260313-000000`: the time part of ids and folder names. */
export function toCompactStamp(date: Date): string {
  const iso = date.toISOString();
  const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10);
  return `${day}-${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}`;
}

/** Makes a stamp of whole seconds only once for all moments of the same second, which follow each other closely. */
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

const leapYear = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const yearlyDay =
  '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const timeOfDay = '(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?|24:00(:00(\\.0{1,9})?)?)';
const zone = '([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])';

/** The form of an instant, in the syntax that all dialects of regular expressions share: the contract has the same text. */
export const isoInstantPattern = `^([0-9]{4}-${yearlyDay}|${leapYear}-02-29)([Tt ]${timeOfDay}${zone}?)?$`;
const instant = new RegExp(isoInstantPattern);

/** Decides whether a text is an existing date, or a date and time with or without offset, in ISO 8601. */
export const isIsoInstant = (text: string): boolean => instant.test(text);

/** Returns milliseconds since 1970. @param text valid for {@link isIsoInstant}; without an offset it is UTC. */
export function instantOf(text: string): number {
  if (text.length === 10) return Date.parse(text);
  const written = text.replace(/^(.{10})[Tt ]/, '$1T').replace(/z$/, 'Z');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(written) ? written : `${written}Z`);
}
