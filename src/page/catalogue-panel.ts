import {
  type ErrorEntry,
  type EventEntry,
  errorCatalogue,
  eventCatalogue,
  type SharedError,
  sharedErrors,
} from '../contract/document/catalogues.js';
import { anchorOf, type ContractDocument } from '../contract/document/contract-document.js';
import { useSoon } from './layout.js';
import { rowId } from './search-index.js';
import type { Component, Drawn, MakePlugin, React } from './swagger.js';

/** Draws the facts that belong to no single operation, below the introduction. */
export const cataloguePanel =
  (document: ContractDocument): MakePlugin =>
  ({ React }) => {
    const Catalogues = cataloguesOf(React, catalogueSections(document));
    return {
      wrapComponents: {
        InfoContainer: (Original) => (properties) =>
          React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, properties),
            React.createElement(Catalogues, null),
          ),
      },
    };
  };

/** Draws the rows, which are folded at first, once the page is on the screen. */
const cataloguesOf =
  (React: React, sections: readonly CatalogueSection[]): Component =>
  () => {
    const isSoon = useSoon(React);
    return React.createElement(
      'section',
      { className: 'catalogues wrapper', 'aria-label': 'Errors and events' },
      ...sections.map((section) =>
        catalogueTable(React, isSoon ? section : { ...section, rows: [] }, titleOf(section)),
      ),
    );
  };

const titleOf = ({ name, rows }: CatalogueSection): string =>
  name.startsWith('Errors') ? name : `All ${rows.length} ${name.toLowerCase()}`;

/** A cell: a text, or a list of texts, some of which are code or lead to an operation. */
type Cell =
  | string
  | readonly {
      readonly text: string;
      readonly code?: boolean;
      readonly anchor?: string;
      readonly title?: string;
    }[];

interface CatalogueRow {
  /** By which the search leads to it; null where it leads to none. */
  readonly id: string | null;
  readonly cells: readonly Cell[];
}
interface CatalogueSection {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly CatalogueRow[];
}

/** Returns the facts that belong to no single operation: the errors of all of them, every error code, every kind of event. */
function catalogueSections(document: ContractDocument): CatalogueSection[] {
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

const code = (text: string, title?: string) => ({
  text,
  code: true,
  ...(title !== undefined && { title }),
});

const sharedRow = ({ status, codes, description, withBody }: SharedError): CatalogueRow => ({
  id: null,
  cells: [
    status,
    codes.map((each) => code(each)),
    withBody ? `${description} Only operations with a body answer it.` : description,
  ],
});

const errorRow = ({ code: word, statuses, sentence, operations, scope }: ErrorEntry): CatalogueRow => ({
  id: rowId(word),
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
  id: rowId(kind),
  cells: [[code(kind)], sentence, data.map(({ name, description }) => code(name, description))],
});

/** Draws a section under a title, folded. */
function catalogueTable(React: React, { heads, rows }: CatalogueSection, title: string): Drawn {
  const { createElement } = React;
  return createElement(
    'details',
    { className: 'catalogue' },
    createElement('summary', null, title),
    createElement(
      'table',
      null,
      createElement('thead', null, row(React, 'th', heads, null)),
      createElement('tbody', null, ...rows.map(({ id, cells }) => row(React, 'td', cells, id))),
    ),
  );
}

const row = (React: React, kind: 'th' | 'td', cells: readonly Cell[], id: string | null): Drawn =>
  React.createElement(
    'tr',
    id === null ? null : { id, tabIndex: -1 },
    ...cells.map((cell) => React.createElement(kind, null, ...content(React, cell))),
  );

function content(React: React, cell: Cell): Drawn[] {
  const { createElement } = React;
  if (typeof cell === 'string') return codeWithin(React, cell);
  return cell.flatMap(({ text, code, anchor, title }) => [
    anchor === undefined
      ? createElement(code ? 'code' : 'span', title === undefined ? null : { title }, text)
      : createElement('a', { href: anchor }, text),
    ' ',
  ]);
}

/** Draws the text between backticks as code. */
const codeWithin = ({ createElement }: React, text: string): Drawn[] =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : createElement('code', null, part)));
