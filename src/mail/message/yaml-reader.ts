import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, Scalar } from 'yaml';
import { MailRefusal } from './mail-fault.js';
import type { JsonValue } from './mail-message.js';
import { isBlank, strip } from './mail-text.js';

// The YAML of a front matter: its text becomes nodes, a plain scalar gets the type that PyYAML gives it, and the fields of a
// mapping are read as the types that they must have.

/** A value of a front matter, with its type: `1` and `1.0` differ, and so do `"1"` and `1`. */
export type YamlNode =
  | PlainScalar
  | { is: 'list'; items: YamlNode[] }
  | { is: 'map'; entries: Map<string, YamlNode> };

const wholeMatter = 'front_matter';
/** The most values that are read: aliases can make a huge document of a small file. */
const mostNodes = 100_000;

/** Characters that PyYAML's reader refuses in any position. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
/** An escape sequence in a double-quoted scalar; the second alternative skips escaped backslashes. */
const halfEscapes = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[\s\S]/g;

const refuse = (field: string, rule: string): never => {
  throw new MailRefusal(field, rule);
};

const refuseMatter = (rule: string): never => refuse(wholeMatter, rule);

/**
 * Reads YAML as PyYAML does: the library parses, with every scalar left as text, and {@link plainScalar}
 * decides what a plain one means.
 * @throws {MailRefusal}
 */
export function readYaml(text: string): YamlNode {
  if (unprintable.test(text)) refuseMatter('has a control character');
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    version: '1.1',
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (!Array.isArray(documents) || documents.length !== 1) return refuseMatter('must be one YAML document');
  const [document] = documents as [Document.Parsed];
  const [error] = document.errors;
  if (error) refuseMatter(`is no YAML: ${error.message.split('\n')[0]}`);
  return new NodeReader(text, document).read(document.contents);
}

class NodeReader {
  readonly #text: string;
  readonly #document: Document.Parsed;
  #left = mostNodes;

  constructor(text: string, document: Document.Parsed) {
    this.#text = text;
    this.#document = document;
  }

  read(node: unknown): YamlNode {
    this.#left -= 1;
    if (this.#left < 0) refuseMatter('has too many values');
    if (node === null) return { is: 'null' };
    if (isAlias(node))
      return this.read(node.resolve(this.#document) ?? refuseMatter('has an alias of nothing'));
    const { tag } = node as Node;
    if (tag !== undefined && !/^tag:yaml\.org,2002:(?:str|seq|map)$/.test(tag))
      refuseMatter(`has the tag ${tag}`);
    if (isScalar(node)) return this.#scalar(node, tag !== undefined);
    if (isSeq(node)) return { is: 'list', items: node.items.map((item) => this.read(item)) };
    if (!isMap(node)) return refuseMatter('has a value of an unknown kind');
    const entries = new Map<string, YamlNode>();
    for (const { key, value } of node.items) {
      const name = this.read(key);
      if (name.is !== 'string') return refuseMatter(`has a key that is not a string: ${this.#source(key)}`);
      entries.set(name.value, this.read(value));
    }
    return { is: 'map', entries };
  }

  #scalar(node: Scalar, tagged: boolean): YamlNode {
    const value = String(node.value ?? '');
    if (node.type === Scalar.QUOTE_DOUBLE && this.#source(node).match(halfEscapes)?.some(isHalf))
      refuseMatter(
        'has half of a surrogate pair as an escape; characters beyond U+FFFF are written \\U0001F600',
      );
    return node.type === Scalar.PLAIN && !tagged ? plainScalar(value) : { is: 'string', value };
  }

  #source(node: unknown): string {
    const [start, end] = (node as Node | null)?.range ?? [0, 0];
    return this.#text.slice(start, end);
  }
}

const isHalf = (found: string): boolean => found.length === 6;

/**
 * The meaning of a plain scalar in YAML 1.1 as PyYAML reads it. The library's own reading of 1.1 has numbers and
 * booleans that PyYAML does not have.
 */
type PlainScalar =
  | { is: 'string'; value: string }
  | { is: 'integer'; value: number }
  | { is: 'float'; value: number }
  | { is: 'boolean'; value: boolean }
  | { is: 'null' }
  | { is: 'timestamp'; text: string }
  | { is: 'special'; text: '<<' | '=' };

const nullForm = /^(?:~|null|Null|NULL|)$/;
const trueForm = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseForm = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const integerForm = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*(?::[0-5]?[0-9])+|[1-9][0-9_]*)$/;
const floatForm =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const timestampForm =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?))?)$/;

export function plainScalar(text: string): PlainScalar {
  if (nullForm.test(text)) return { is: 'null' };
  if (trueForm.test(text)) return { is: 'boolean', value: true };
  if (falseForm.test(text)) return { is: 'boolean', value: false };
  // The addition turns -0 into 0: integers have no negative zero.
  if (integerForm.test(text)) return { is: 'integer', value: signed(text, integerOf) + 0 };
  if (floatForm.test(text)) return { is: 'float', value: signed(text, floatOf) };
  if (timestampForm.test(text)) return { is: 'timestamp', text };
  if (text === '<<' || text === '=') return { is: 'special', text };
  return { is: 'string', value: text };
}

function signed(text: string, of: (digits: string) => number): number {
  const value = of(text.replace(/^[-+]/, '').replaceAll('_', ''));
  return text.startsWith('-') ? -value : value;
}

function integerOf(digits: string): number {
  if (digits.startsWith('0b')) return Number.parseInt(digits.slice(2), 2);
  if (digits.startsWith('0x')) return Number.parseInt(digits.slice(2), 16);
  if (digits.includes(':')) return sexagesimal(digits);
  return digits.startsWith('0') ? Number.parseInt(digits, 8) : Number(digits);
}

function floatOf(digits: string): number {
  if (/inf/i.test(digits)) return Number.POSITIVE_INFINITY;
  if (/nan/i.test(digits)) return Number.NaN;
  return digits.includes(':') ? sexagesimal(digits) : Number(digits);
}

const sexagesimal = (digits: string): number =>
  digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** Reads a node as one type. @throws {MailRefusal} naming the field and the rule. */
type Read<T> = (node: YamlNode, field: string) => T;

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
    this.#entries = node.is === 'map' ? node.entries : unlike(node, field || wholeMatter, 'a mapping');
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
