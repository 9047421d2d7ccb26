/** Reading JSON of unknown shape without casts: what is not of the wanted kind reads as empty. */
export type Json = Readonly<Record<string, unknown>>;

export function obj(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(obj) : [];
}

export function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The named members that are there; undefined when there is none. */
export function pick(source: Json, names: readonly string[]): Json | undefined {
  const found = names.filter((name) => source[name] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, source[name]]));
}
