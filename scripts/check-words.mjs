// `node scripts/check-words.mjs [folder]`: a sentence that the product says is asserted in one test file, so that a change of its words
// breaks that file and no other. Found is what two test files assert of one literal of src/, sdk/src/ or the contract: the same five
// words in a row, or more. And nothing says what is retired here. Run by `npm run lint`; says each finding with its places, exits with 1.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// As `import` it is looked through for the names of its exports first, which takes as long as all tests.
const ts = createRequire(import.meta.url)('typescript');

/** Words in a row that make a sentence. Fewer are the same by chance. */
const least = 5;
/** The words of what the tools and the stand-in draw are theirs: src/ knows them in order to recognise them. */
const notOurs = /^src\/tools\//;
/** Theirs too, though examples of the contract quote it. */
const quoted = new Set(['do you want to proceed']);
/** The words that code, contract and documents have given up (docs/glossary.md), and what is written instead. */
const retired = [
  {
    pattern: /\.{3}\{/,
    instead: 'write the properties of an object literal in the object that has them',
    only: isCode,
  },
  { pattern: /\btold\b/i, instead: 'say reported, notified, shown or asked to' },
  { pattern: /\bwish(?:es|ed)?\b/i, instead: 'say request' },
  { pattern: /\banew\b/i, instead: 'say again or new' },
  { pattern: /\bwhoever\b/i, instead: 'say which program or caller' },
  {
    pattern: /^\s*(?:\/\*\*|\*|\/\/) (?:What|Who|Whose)\b/,
    instead: 'begin with the subject',
    only: isCode,
  },
  {
    pattern: /\b(?:mayBeDone|mayHaveActed|unknownOutcome|notKnownYet|deliveryUnknown)\b/,
    instead: 'say outcomeUnknown',
    only: isCode,
  },
];
const readmes = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'sdk/README.md'];
/** This list and its test name the words. */
const itsTest = 'test/unit/scripts/check-words.test.ts';
/** Calls that compare their arguments with what the product says. */
const comparing =
  /^(?:to(?:Be|Equal|StrictEqual|Contain|ContainEqual|Match|MatchObject|Throw|ThrowError)|string(?:Containing|Matching)|(?:object|array)Containing|includes|startsWith|endsWith|saying)$/;

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

function main() {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const findings = [
    ...repeatedWords(root).map(
      ({ words, literal, places }) =>
        `"${words}" of ${literal} is asserted in ${places.join(' and ')}: keep it in one of them, and compare codes or fields in the others`,
    ),
    ...doubledNames(root).map(
      ({ name, paths }) =>
        `${name} is the name of an exported type in ${paths.join(' and ')}: rename all but one`,
    ),
    ...retiredWords(root).map(({ place, found, instead }) => `${place}: ${found}: ${instead}`),
  ];
  for (const finding of findings) console.error(`words: ${finding}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

/**
 * Where a file has a word that is retired.
 *
 * @returns {{ place: string, found: string, instead: string }[]} the place as path and line
 */
export function retiredWords(root) {
  const files = [
    'src',
    'sdk/src',
    'standin/src',
    'console/src',
    'scripts',
    'examples',
    'test',
    'docs',
    'openapi',
  ]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesIn(root, folder, /\.(?:tsx?|mjs|md|yaml)$/))
    .concat(
      readmes
        .filter((path) => existsSync(join(root, path)))
        .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    )
    .filter(({ path }) => path !== 'scripts/check-words.mjs' && path !== itsTest);
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      retired.flatMap(({ pattern, instead, only = () => true }) => {
        const found = only(path) ? pattern.exec(line)?.[0] : undefined;
        return found === undefined ? [] : [{ place: `${path}:${index + 1}`, found, instead }];
      }),
    ),
  );
}

/**
 * The names that several exported types of the product have. The two entry points of the SDK (gateway/ and managed-agent/)
 * may use one name for the same thing.
 *
 * @returns {{ name: string, paths: string[] }[]}
 */
export function doubledNames(root) {
  const places = new Map();
  for (const { path, text } of ['src', 'sdk/src', 'standin/src', 'console/src']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesIn(root, folder, /\.tsx?$/))
    .filter(({ path }) => !path.startsWith('sdk/src/generated/')))
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), path]);
  const isEntry = (path) => /^sdk\/src\/(?:gateway|managed-agent)\//.test(path);
  return [...places]
    .map(([name, paths]) => ({ name, paths }))
    .filter(({ paths }) => paths.length > 1 && !(paths.length === 2 && paths.every(isEntry)));
}

/**
 * The sentences of the repository in a folder that two test files assert: their first words, where a literal has them, and where they
 * are asserted.
 *
 * @returns {{ words: string, literal: string, places: string[] }[]}
 */
export function repeatedWords(root) {
  const files = (folder, pattern) => filesIn(root, folder, pattern);
  const asserted = assertionsOf(files('test', /\.ts$/));
  const sources = ['src', 'sdk/src', 'scripts'].flatMap((folder) => files(folder, /\.(?:ts|mjs)$/));
  const documents = files('generated', /^openapi\.json$/);
  return repeatedOf(asserted, sentencesSaid(new Set(asserted.keys()), sources, documents));
}

/** The words that at least two test files compare: each `least` words in a row, with where they stand. */
function assertionsOf(tests) {
  const places = new Map();
  for (const { path, text } of tests) {
    const source = parse(path, text);
    for (const node of comparedIn(source))
      for (const words of runsOf(node))
        for (const [index, part] of partsOf(words).entries()) {
          const files = places.get(part) ?? places.set(part, new Map()).get(part);
          files.set(path, [...(files.get(path) ?? []), { at: placeOf(path, source, node), words, index }]);
        }
  }
  return new Map([...places].filter(([part, files]) => files.size > 1 && !quoted.has(part)));
}

/** The texts below the arguments of comparing calls, in the constants that these name, and in tables beyond the name of a row. */
function comparedIn(source) {
  const constants = new Map();
  const roots = [];
  visit(source, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isText(node.initializer))
      constants.set(node.name.text, node.initializer);
    if (comparing.test(calledIn(node))) roots.push(...node.arguments);
    if (calledIn(node) === 'each' && node.arguments[0] && ts.isArrayLiteralExpression(node.arguments[0]))
      for (const row of node.arguments[0].elements)
        if (ts.isArrayLiteralExpression(row)) roots.push(...row.elements.slice(1));
  });
  const compared = new Set();
  const add = (node) =>
    visit(node, (inner) => {
      if (isLiteral(inner)) compared.add(inner);
      else if (ts.isIdentifier(inner) && constants.has(inner.text)) {
        const named = constants.get(inner.text);
        constants.delete(inner.text);
        add(named);
      }
    });
  roots.forEach(add);
  return compared;
}

/** The literals of the product with one of these parts: part → [{ words, index, literal }]. */
function sentencesSaid(parts, sources, documents) {
  const said = new Map();
  const first = new Set([...parts].map((part) => part.split(' ')[0]));
  const add = (literal, runs) => {
    for (const words of runs)
      for (const [index, part] of partsOf(words).entries())
        if (parts.has(part)) said.set(part, [...(said.get(part) ?? []), { words, index, literal }]);
  };
  for (const { path, text } of sources) {
    if (notOurs.test(path) || !mayHave(text, parts, first)) continue;
    const source = parse(path, text);
    visit(source, (node) => isLiteral(node) && add(placeOf(path, source, node), runsOf(node)));
  }
  for (const { path, text } of documents)
    for (const [string] of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) add(path, runsIn(JSON.parse(string)));
  return said;
}

/** Whether a file may have one of these parts, whatever stands between the words: so few are parsed. */
function mayHave(text, parts, first) {
  const words = text.toLowerCase().match(/[a-z]+(?:['’-][a-z]+)*/g) ?? [];
  return words.some((word, at) => first.has(word) && parts.has(words.slice(at, at + least).join(' ')));
}

/** The words of one literal that two files assert, once for each such files. */
function repeatedOf(asserted, said) {
  const found = new Map();
  for (const [part, files] of asserted) {
    const byLiteral = new Map();
    for (const [path, places] of files)
      for (const { at, ...place } of places)
        for (const literal of closestTo(place, said.get(part) ?? []))
          byLiteral.set(literal, (byLiteral.get(literal) ?? new Map()).set(path, at));
    for (const [literal, places] of byLiteral) {
      const key = [...places.values()].join();
      if (places.size > 1 && !found.has(key))
        found.set(key, { words: part, literal, places: [...places.values()] });
    }
  }
  return [...found.values()];
}

/** Where the literals stand that have the words at a place, most of the words around it too, and least beyond. */
function closestTo(place, literals) {
  const closeness = literals.map((literal) => {
    const common = commonRun(place, literal);
    return common + common / (literal.words.length + 1);
  });
  const most = Math.max(...closeness);
  return literals.filter((_, index) => closeness[index] === most).map(({ literal }) => literal);
}

function commonRun(one, other) {
  const size = (step) => {
    let count = 0;
    while (
      one.words[one.index + step * count] === other.words[other.index + step * count] &&
      one.words[one.index + step * count]
    )
      count += 1;
    return count;
  };
  return size(1) + size(-1);
}

/** Whether a constant is a text or has some: a literal, an object or a matcher of them, or what makes one of its arguments. */
function isText(node) {
  if (node === undefined) return false;
  if (ts.isArrowFunction(node)) return isText(node.body);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return isText(node.expression);
  return (
    isLiteral(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    comparing.test(calledIn(node))
  );
}

function isLiteral(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node);
}

/** The words in a row of a literal. A hole ends them, as does a special character of a pattern. */
function runsOf(node) {
  if (ts.isStringLiteralLike(node)) return runsIn(node.text);
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)].flatMap(({ text }) =>
      runsIn(text),
    );
  const pattern = node.text.slice(1, node.text.lastIndexOf('/'));
  return runsIn(pattern.replace(/\\[a-z]\S*|[*+?^$|[\]{}]|\.(?=[*+?])/g, ' 0 ').replace(/\\(.)/g, '$1'));
}

/** The words in a row of a text. What is no word ends them: numbers, paths, codes, names in capitals, a command to copy. */
function runsIn(text) {
  const runs = [[]];
  for (const given of text.replace(/\b(?:houmao-mgr|apt-get)\s[^\n,;:.)]*/g, ' 0 ').split(/\s+/)) {
    const word = given.replace(/^[^\w]+|[^\w]+$/g, '');
    if (/^(?:[A-Z]?[a-z]+|[A-Z])(?:['’-][a-z]+)*$/.test(word)) runs.at(-1).push(word.toLowerCase());
    else if (word !== '') runs.push([]);
  }
  return runs.filter(({ length }) => length >= least);
}

function partsOf(words) {
  return words.slice(least - 1).map((_, index) => words.slice(index, index + least).join(' '));
}

/** The name of the method or function that a call calls; empty for what is no call. */
function calledIn(node) {
  if (!ts.isCallExpression(node)) return '';
  return node.expression.name?.text ?? '';
}

function visit(node, each) {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

function placeOf(path, source, node) {
  return `${path}:${source.getLineAndCharacterOfPosition(node.end).line + 1}`;
}

function parse(path, text) {
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  return ts.createSourceFile(path, text, options, false);
}

function filesIn(root, folder, pattern) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file.slice(root.length + 1), text: readFileSync(file, 'utf8') }));
}

function isCode(path) {
  return /\.(?:ts|mjs)$/.test(path);
}
