import { type ErrorEntry, errorCatalogue, eventCatalogue } from './catalogues.js';
import type { ContractDocument } from './contract-document.js';

// The catalogues as documents: `npm run generate` writes them to docs/.

/** A surface, with the name that it has in the documents. */
export interface NamedContract {
  readonly name: string;
  readonly document: ContractDocument;
}

const mark = 'Made by `npm run generate` from the contract.';

/** Writes docs/errors.md: every code of every surface. */
export function errorsMarkdown(contracts: readonly NamedContract[]): string {
  const sections = contracts.flatMap(({ name, document }) => [
    `## ${name}`,
    '',
    '| code | status | what it means | operations |',
    '|---|---|---|---|',
    ...errorCatalogue(document).map(
      (entry) =>
        `| \`${entry.code}\` | ${entry.statuses.join(', ')} | ${cell(entry.sentence)} | ${operationsCell(entry)} |`,
    ),
    '',
  ]);
  return [
    '# Error codes',
    '',
    `${mark} Every refusal has one of these words in its header \`X-Houmao-Error-Code\`, and a`,
    'sentence for people in `detail`. Programs decide by the word: sentences may change.',
    '',
    ...sections,
  ].join('\n');
}

const scopes = { every: 'every operation', 'with body': 'every operation with a body' } as const;

const operationsCell = ({ scope, operations }: ErrorEntry): string =>
  scope === 'some' ? operations.map(({ operationId }) => `\`${operationId}\``).join(', ') : scopes[scope];

/** Writes docs/events.md: every kind of event. */
export function eventsMarkdown({ document }: NamedContract): string {
  return [
    '# Kinds of events',
    '',
    `${mark} \`GET /v1/events\` of a gateway reports these, in the order in which they happened. Each event has`,
    '`seq` (its number), `at_utc` (when), `kind`, `subject_id` (the request, turn, reminder or agent that it is about) and `data`, whose',
    'fields are listed here. New kinds and new fields may come with any release: ignore those that you do not know.',
    '',
    ...eventCatalogue(document).flatMap(({ kind, sentence, data }) => [
      `## ${kind}`,
      '',
      sentence,
      '',
      ...data.map(({ name, description }) => `* \`${name}\`: ${description}`),
      ...(data.length > 0 ? [''] : []),
    ]),
  ].join('\n');
}

/** Escapes a text for a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
