import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A text of the source: its fixed parts, with a hole for each `${…}` between them. */
type Sentence = readonly string[];

/** Every string and template literal of the TypeScript files in `folders`, tests aside. */
function sentencesOf(folders: readonly string[]): Sentence[] {
  const found: Sentence[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push([node.text]);
    else if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
    ts.forEachChild(node, collect);
  };
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      collect(
        ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest, true),
      );
    }
  return found;
}

/** A hole that holds no sentence of its own holds a value: a name, a number, a short list. */
const isValue = (text: string): boolean => text.length <= 80 && text.split(/\s+/).length <= 3;

/**
 * Whether the source says a text: a literal with all its words, where each hole holds a value or, again, what the source
 * says. Literals with hardly a word of their own are left out: they would fit anything.
 */
export class SourceSentences {
  readonly #literals: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];

  /** @param rules sentences that are said as they are and stand elsewhere. */
  constructor(folders: readonly string[], rules: readonly string[]) {
    const sentences = [...sentencesOf(folders), ...rules.map((rule): Sentence => [rule])].filter((parts) =>
      /[a-z]{2}.* .*[a-z]{2}/i.test(parts.join(' x ')),
    );
    this.#literals = new Set(sentences.filter((parts) => parts.length === 1).map(([text = '']) => text));
    const patterns = sentences
      .filter((parts) => parts.length > 1 && parts.join('').replaceAll(/[^a-z]/gi, '').length >= 8)
      .map(
        (parts) => `^${parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('(.*?)')}$`,
      );
    this.#patterns = [...new Set(patterns)].map((pattern) => new RegExp(pattern, 's'));
  }

  has(text: string): boolean {
    return (
      this.#literals.has(text) ||
      this.#patterns.some((pattern) => {
        const holes = pattern.exec(text)?.slice(1);
        return holes?.every((hole) => isValue(hole) || this.has(hole)) ?? false;
      })
    );
  }
}
