// The fields of an event: each has a check for values that are read back from disk, and from that check the compiler gets
// the type.

/** Decides whether a stored value is valid for the field. */
export type Is<T> = (value: unknown) => value is T;
/** A field that was added after events of its kind had been stored: a writer must give it, a reader may find it absent. */
export interface Later<T> {
  readonly later: Is<T>;
}
export type EventFields = Readonly<Record<string, Is<unknown> | Later<unknown>>>;

type ValueOf<F> = F extends Is<infer T> ? T : F extends Later<infer T> ? T : never;
type LaterNames<F> = { [K in keyof F]: F[K] extends Later<unknown> ? K : never }[keyof F];
/** The data of a new event. */
export type Written<F> = { readonly [K in keyof F]: ValueOf<F[K]> };
/** The data of an event as it may be stored, without some of the later fields. */
export type Stored<F> = { readonly [K in Exclude<keyof F, LaterNames<F>>]: ValueOf<F[K]> } & {
  readonly [K in LaterNames<F>]?: ValueOf<F[K]>;
};

export const text: Is<string> = (value): value is string => typeof value === 'string';
export const integer: Is<number> = (value): value is number => Number.isInteger(value);
export const number: Is<number> = (value): value is number => Number.isFinite(value);
export const flag: Is<boolean> = (value): value is boolean => typeof value === 'boolean';
export const texts: Is<string[]> = (value): value is string[] => Array.isArray(value) && value.every(text);
export const object: Is<Readonly<Record<string, unknown>>> = (
  value,
): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts one of these words. */
export const oneOf =
  <const W extends string>(...words: readonly W[]): Is<W> =>
  (value): value is W =>
    (words as readonly unknown[]).includes(value);
export const orNull =
  <T>(is: Is<T>): Is<T | null> =>
  (value): value is T | null =>
    value === null || is(value);
export const later = <T>(is: Is<T>): Later<T> => ({ later: is });

/** Decides whether stored data has the fields of its kind. Other fields in it do not matter. */
export function fits(fields: EventFields, data: Readonly<Record<string, unknown>>): boolean {
  for (const name in fields) {
    const field = fields[name] as Is<unknown> | Later<unknown>;
    const value = data[name];
    if (typeof field === 'function' ? !field(value) : value !== undefined && !field.later(value))
      return false;
  }
  return true;
}
