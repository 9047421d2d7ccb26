import { readFileSync, writeFileSync } from 'node:fs';
import { generatorVersion } from '../../scripts/tools/openapi-generator.mjs';

const file = 'docs/clients.md';
const [begin, end] = ['<!-- made by `npm run test:clients -- --write` -->\n', '<!-- end -->\n'];

const basic = 'a prompt and its record, an agent and its detail, a 404 and a 422 by their types';
const shown = { basic, all: `${basic}; turns, text, reminders, events by their kinds` };

/** The generators that stop, and the issue that says why. */
const refused = () => [
  [
    `openapi-generator rust ${generatorVersion()}`,
    '/openapi.json',
    'not run: it compiles, but does not read or write unions that a field distinguishes, such as a prompt for the queue ([openapi-generator#22344](https://github.com/OpenAPITools/openapi-generator/issues/22344))',
  ],
  [
    'progenitor 0.15.1',
    '/openapi-3.0.json',
    'not run: it makes no client where an operation has bodies of several types for its errors ([progenitor#950](https://github.com/oxidecomputer/progenitor/issues/950))',
  ],
];

const tableOf = (languages, linters) => {
  const rows = [
    ...languages.map(({ tool, reads, shows }) => [tool(), reads, shown[shows]]),
    ...linters.map(({ tool }) => [tool(), 'both', 'nothing to warn of']),
    ...refused(),
  ];
  const line = ([tool, reads, shows]) =>
    `| ${tool} | ${reads === 'both' ? reads : `\`${reads}\``} | ${shows} |\n`;
  return `| generator or linter | reads | what is run against it, on both surfaces |\n|---|---|---|\n${rows.map(line).join('')}`;
};

/** The text of the document before its table, the table, and the text after it. @throws Error when its marks are gone. */
function partsOf(text) {
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${file} has no ${begin.trim()} … ${end.trim()}`);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

/** Writes the table of generators into docs/clients.md. */
export function writeTable(languages, linters) {
  const [before, , after] = partsOf(readFileSync(file, 'utf8'));
  writeFileSync(file, before + tableOf(languages, linters) + after);
}

/** @throws Error when docs/clients.md has another table. */
export function checkTable(languages, linters) {
  const [, table] = partsOf(readFileSync(file, 'utf8'));
  if (table !== tableOf(languages, linters))
    throw new Error(`${file} has another table; write it again: npm run test:clients -- --write`);
}
