import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, Scalar } from 'yaml';
import { MailRefusal } from './mail-fault.js';
import { plainScalar, type Scalar as Value } from './yaml-scalars.js';

/** A value of a front matter, with its type: `1` and `1.0` differ, and so do `"1"` and `1`. */
export type YamlNode =
  | Value
  | { is: 'list'; items: YamlNode[] }
  | { is: 'map'; entries: Map<string, YamlNode> };

const field = 'front_matter';
/** The most values that are read: aliases can make a huge document of a small file. */
const mostNodes = 100_000;

/** Characters that PyYAML's reader refuses in any position. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
/** An escape sequence in a double-quoted scalar; the second alternative skips escaped backslashes. */
const halfEscapes = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[\s\S]/g;

const refuse = (rule: string): never => {
  throw new MailRefusal(field, rule);
};

/**
 * Reads YAML as PyYAML does: the library parses, with every scalar left as text, and {@link plainScalar}
 * decides what a plain one means.
 * @throws {MailRefusal}
 */
export function readYaml(text: string): YamlNode {
  if (unprintable.test(text)) refuse('has a control character');
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    version: '1.1',
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (!Array.isArray(documents) || documents.length !== 1) return refuse('must be one YAML document');
  const [document] = documents as [Document.Parsed];
  const [error] = document.errors;
  if (error) refuse(`is no YAML: ${error.message.split('\n')[0]}`);
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
    if (this.#left < 0) refuse('has too many values');
    if (node === null) return { is: 'null' };
    if (isAlias(node)) return this.read(node.resolve(this.#document) ?? refuse('has an alias of nothing'));
    const { tag } = node as Node;
    if (tag !== undefined && !/^tag:yaml\.org,2002:(?:str|seq|map)$/.test(tag)) refuse(`has the tag ${tag}`);
    if (isScalar(node)) return this.#scalar(node, tag !== undefined);
    if (isSeq(node)) return { is: 'list', items: node.items.map((item) => this.read(item)) };
    if (!isMap(node)) return refuse('has a value of an unknown kind');
    const entries = new Map<string, YamlNode>();
    for (const { key, value } of node.items) {
      const name = this.read(key);
      if (name.is !== 'string') return refuse(`has a key that is not a string: ${this.#source(key)}`);
      entries.set(name.value, this.read(value));
    }
    return { is: 'map', entries };
  }

  #scalar(node: Scalar, tagged: boolean): YamlNode {
    const value = String(node.value ?? '');
    if (node.type === Scalar.QUOTE_DOUBLE && this.#source(node).match(halfEscapes)?.some(isHalf))
      refuse('has half of a surrogate pair as an escape; characters beyond U+FFFF are written \\U0001F600');
    return node.type === Scalar.PLAIN && !tagged ? plainScalar(value) : { is: 'string', value };
  }

  #source(node: unknown): string {
    const [start, end] = (node as Node | null)?.range ?? [0, 0];
    return this.#text.slice(start, end);
  }
}

const isHalf = (found: string): boolean => found.length === 6;
