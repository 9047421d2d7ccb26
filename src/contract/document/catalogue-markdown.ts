import { type ErrorEntry, errorCatalogue, eventCatalogue } from './catalogues.js';
import type { ContractDocument } from './contract-document.js';

// The catalogues as documents: `npm run generate` writes them to docs/, and a surface serves its own.

/** A surface, with the name that it has in the documents. */
export interface NamedContract {
  readonly name: string;
  readonly document: ContractDocument;
}

/**
 * Every error code of every surface.
 * @param origin a sentence that says where the text comes from, with a space at its end; a surface that serves it needs none.
 */
export function errorsMarkdown(contracts: readonly NamedContract[], origin = ''): string {
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
    `${origin}Every refusal has one of these words in its header \`X-Houmao-Error-Code\`, and a`,
    'sentence for people in `detail`. Programs decide by the word: sentences may change.',
    '',
    ...sections,
  ].join('\n');
}

const scopes = { every: 'every operation', 'with body': 'every operation with a body' } as const;

const operationsCell = ({ scope, operations }: ErrorEntry): string =>
  scope === 'some' ? operations.map(({ operationId }) => `\`${operationId}\``).join(', ') : scopes[scope];

/**
 * Every kind of event.
 * @param origin as {@link errorsMarkdown} takes it.
 */
export function eventsMarkdown({ document }: NamedContract, origin = ''): string {
  return [
    '# Kinds of events',
    '',
    `${origin}\`GET /v1/events\` of a gateway reports these, in the order in which they happened. Each event has`,
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
