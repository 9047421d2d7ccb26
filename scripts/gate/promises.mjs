// `node scripts/gate/promises.mjs`: holds the table of docs/testing.md that names an end-to-end test for each promise of the documents for
// users against both. Run by `npm run lint`; says each finding, and exits with 1. `npm test` runs the tests of that table. Imports no package.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const document = 'docs/testing.md';
/** Where promises are made. */
const documents = [
  'README.md',
  ...[
    'cli',
    'terminals',
    'server',
    'console',
    'notifications',
    'remote-agents',
    'clients',
    'mail',
    'mail-servers',
    'operations',
  ].map((name) => `docs/${name}.md`),
];

/** @typedef {{ sentence: string, file: string, title: string }} Promised one row: a sentence of a document for users, and the test that holds it */

/** @returns {Promised[]} the rows of the table */
export function promisesIn(markdown) {
  const rows = markdown.matchAll(/^\| (.+?) \| (test\/e2e\/\S+\.test\.ts) \| (.+?) \|$/gm);
  return [...rows].map(([, sentence, file, title]) => ({ sentence, file, title }));
}

export const readPromises = () => promisesIn(readFileSync(document, 'utf8'));

/** @returns {string} a pattern that fits this text and no other */
export const literally = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** @returns {string} for `-t` of vitest: the tests with these titles, in any block */
export function patternOf(promised) {
  const titles = promised.map(({ title }) => literally(title).replace(/%[sdji]/g, '.+'));
  return `(^| )(${[...new Set(titles)].join('|')})$`;
}

/**
 * @param {Promised[]} promised
 * @param {string} said in these documents
 * @param {(file: string) => string | null} read the text of a test file; null where there is none
 * @returns {string[]} what is wrong with the table
 */
export function problemsOf(promised, said, read) {
  const text = plainText(said);
  const problemOf = ({ sentence, file, title }) => {
    const source = read(file);
    if (!text.includes(plainText(sentence))) return `no document for users says: ${sentence}`;
    if (source === null) return `there is no ${file}`;
    return source.replaceAll("\\'", "'").includes(title) ? null : `${file} has no test: ${title}`;
  };
  return [
    ...(promised.length === 0 ? [`${document} has no table of promises`] : []),
    ...promised.map(problemOf).filter((problem) => problem !== null),
  ];
}

/** A text of Markdown as one reads it: without its marks, and on one line. */
const plainText = (markdown) =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`_]/g, '')
    .replace(/\s+/g, ' ');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
  const problems = problemsOf(
    readPromises(),
    documents.map((path) => readFileSync(path, 'utf8')).join('\n'),
    read,
  );
  for (const problem of problems) console.error(`promises: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
