import { anchorOf, type ContractDocument } from '../contract/contract-document.js';
import { type SharedError, sharedErrors } from '../contract/shared-errors.js';
import { type ErrorEntry, errorCatalogue } from './error-catalogue.js';
import { type EventEntry, eventCatalogue } from './event-catalogue.js';

/** A cell is a text, or a list of texts of which some are code and some lead to an operation. */
export type Cell =
  | string
  | readonly {
      readonly text: string;
      readonly code?: boolean;
      readonly anchor?: string;
      readonly title?: string;
    }[];

/** A row, and the names under which it is looked for. */
export interface CatalogueRow {
  readonly names: readonly string[];
  readonly cells: readonly Cell[];
}
export interface CatalogueSection {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly CatalogueRow[];
}

/** What no single operation tells: the errors of all of them, every error code, every kind of event. */
export function catalogueSections(document: ContractDocument): CatalogueSection[] {
  return [
    {
      name: 'Errors that every operation can answer',
      heads: ['Status', 'Code', 'When'],
      rows: sharedErrors(document).map(sharedRow),
    },
    {
      name: 'Error codes',
      heads: ['Code', 'Status', 'What it means', 'Operations'],
      rows: errorCatalogue(document).map(errorRow),
    },
    {
      name: 'Kinds of events',
      heads: ['Kind', 'What happened', 'Its data'],
      rows: eventCatalogue(document).map(eventRow),
    },
  ].filter(({ rows }) => rows.length > 0);
}

/** All that a row says, for one who looks for a word in it. */
export const textOf = ({ cells }: CatalogueRow): string =>
  cells
    .flatMap((cell) => (typeof cell === 'string' ? cell : cell.map(({ text }) => text)))
    .join(' ')
    .toLowerCase();

const code = (text: string, title?: string) => ({
  ...{ text, code: true },
  ...(title !== undefined && { title }),
});

const sharedRow = ({ status, codes, description, withBody }: SharedError): CatalogueRow => ({
  names: [status],
  cells: [
    status,
    codes.map((each) => code(each)),
    withBody ? `${description} Only operations with a body answer it.` : description,
  ],
});

const errorRow = ({ code: word, statuses, sentence, operations, scope }: ErrorEntry): CatalogueRow => ({
  names: [word],
  cells: [
    [code(word)],
    statuses.join(', '),
    sentence,
    scope === 'some'
      ? operations.map((operation) => ({ text: operation.operationId, anchor: anchorOf(operation) }))
      : scope === 'every'
        ? 'every operation'
        : 'every operation with a body',
  ],
});

const eventRow = ({ kind, sentence, data }: EventEntry): CatalogueRow => ({
  names: [kind],
  cells: [[code(kind)], sentence, data.map(({ name, description }) => code(name, description))],
});
