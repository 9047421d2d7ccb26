import { type CatalogueSection, catalogueSections } from '../catalogues/catalogue-sections.js';
import type { ContractDocument } from '../contract/contract-document.js';
import { catalogueTable } from './catalogue-table.js';
import type { MakePlugin } from './swagger.js';

/** Draws below the introduction what no single operation tells. */
export const cataloguePanel =
  (document: ContractDocument): MakePlugin =>
  () => ({
    wrapComponents: {
      InfoContainer:
        (Original, { React }) =>
        (properties) =>
          React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, properties),
            React.createElement(
              'section',
              { className: 'catalogues wrapper' },
              ...catalogueSections(document).map((section) =>
                catalogueTable(React, section, { title: titleOf(section), open: false }),
              ),
            ),
          ),
    },
  });

const titleOf = ({ name, rows }: CatalogueSection): string =>
  name.startsWith('Errors') ? name : `All ${rows.length} ${name.toLowerCase()}`;
