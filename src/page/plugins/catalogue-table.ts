import type { CatalogueSection, Cell } from '../catalogues/catalogue-sections.js';
import type { Drawn, React } from './swagger.js';

/** Draws a section under a title, folded or not. */
export function catalogueTable(
  React: React,
  { heads, rows }: CatalogueSection,
  { title, open }: { readonly title: string; readonly open: boolean },
): Drawn {
  const { createElement } = React;
  return createElement(
    'details',
    { className: 'catalogue', open },
    createElement('summary', null, title),
    createElement(
      'table',
      null,
      createElement('thead', null, row(React, 'th', heads)),
      createElement('tbody', null, ...rows.map(({ cells }) => row(React, 'td', cells))),
    ),
  );
}

const row = (React: React, kind: 'th' | 'td', cells: readonly Cell[]): Drawn =>
  React.createElement(
    'tr',
    null,
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

/** What stands between backticks is code. */
const codeWithin = ({ createElement }: React, text: string): Drawn[] =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : createElement('code', null, part)));
