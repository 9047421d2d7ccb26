import { MailRefusal } from './mail-fault.js';
import type { JsonValue } from './mail-message.js';
import { isBlank, strip } from './mail-text.js';
import type { YamlNode } from './yaml-reader.js';

type Read<T> = (node: YamlNode, field: string) => T;

const refuse = (field: string, rule: string): never => {
  throw new MailRefusal(field, rule);
};

const kinds: Readonly<Record<YamlNode['is'], string>> = {
  string: 'a string',
  integer: 'an integer',
  float: 'a number with a fraction',
  boolean: 'a boolean',
  null: 'null',
  timestamp: 'a timestamp that is not quoted',
  special: 'a special value of YAML',
  list: 'a list',
  map: 'a mapping',
};

const unlike = (node: YamlNode, field: string, wanted: string): never =>
  refuse(field, `must be ${wanted}, not ${kinds[node.is]}`);

export const string: Read<string> = (node, field) =>
  node.is === 'string' ? node.value : unlike(node, field, 'a string');

/** Reads a text that is trimmed and must not be empty then. */
export const text: Read<string> = (node, field) => {
  const value = string(node, field);
  return isBlank(value) ? refuse(field, 'must not be blank') : strip(value);
};

export const size: Read<number> = (node, field) => {
  if (node.is !== 'integer') return unlike(node, field, 'an integer');
  return Number.isSafeInteger(node.value) && node.value >= 0 ? node.value : refuse(field, 'must be a size');
};

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (node, field) =>
    node.is === 'null' ? null : read(node, field);

export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (node, field) =>
    node.is === 'list'
      ? node.items.map((item, index) => read(item, `${field}[${index}]`))
      : unlike(node, field, 'a list');

export const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (node, field) =>
    values.find((value) => node.is === 'string' && node.value === value) ??
    refuse(field, `must be one of ${values.join(', ')}`);

/** Reads any value. A timestamp stays the text that it is. */
export const json: Read<JsonValue> = (node, field) => {
  if (node.is === 'list') return node.items.map((item, index) => json(item, `${field}[${index}]`));
  if (node.is === 'map')
    return Object.fromEntries([...node.entries].map(([key, value]) => [key, json(value, `${field}.${key}`)]));
  if (node.is === 'null') return null;
  if (node.is === 'timestamp') return node.text;
  if (node.is === 'special') return refuse(field, `must not be a plain ${node.text}`);
  if (node.is === 'float' && !Number.isFinite(node.value)) return refuse(field, 'must be a finite number');
  return node.value;
};

/** Reads the keys of a mapping, each once; {@link MappingReader.close} refuses the keys that were not read. */
export class MappingReader {
  readonly #field: string;
  readonly #entries: ReadonlyMap<string, YamlNode>;
  readonly #known = new Set<string>();

  constructor(node: YamlNode, field = '') {
    this.#field = field;
    this.#entries = node.is === 'map' ? node.entries : unlike(node, field || 'front_matter', 'a mapping');
  }

  nameOf(key: string): string {
    return this.#field === '' ? key : `${this.#field}.${key}`;
  }

  required<T>(key: string, read: Read<T>): T {
    const node = this.#take(key);
    return node ? read(node, this.nameOf(key)) : refuse(this.nameOf(key), 'is missing');
  }

  /** @param absent the result where the key is missing. */
  optional<T, A>(key: string, read: Read<T>, absent: A): T | A {
    const node = this.#take(key);
    return node ? read(node, this.nameOf(key)) : absent;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @throws {MailRefusal} when there is a key that was not read. */
  close(): void {
    for (const key of this.#entries.keys())
      if (!this.#known.has(key)) refuse(this.nameOf(key), 'is an unknown key');
  }

  #take(key: string): YamlNode | undefined {
    this.#known.add(key);
    return this.#entries.get(key);
  }
}
