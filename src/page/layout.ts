import type { ContractDocument } from '../contract/document/contract-document.js';
import { contents } from './navigation.js';
import { searchBox } from './search.js';
import { browser, type MakePlugin, type Properties, type React } from './swagger.js';

/**
 * Draws the page around Swagger UI: a link past everything else, the search and the contents beside the operations. All that is
 * not in sight at first is drawn once the rest is on the screen.
 */
export const layout =
  (document: ContractDocument): MakePlugin =>
  ({ React }) => {
    const { createElement } = React;
    const [Search, Contents] = [searchBox(React, document), contents(React, document)];
    const [firstTag] = document.tags ?? [];
    return {
      components: {
        // It would filter the operations; the search leads to them.
        FilterContainer: () => null,
        // It would be a link within the button that opens the operation; the contents have the links.
        DeepLink: ({ text }) => createElement('span', null, text),
      },
      wrapComponents: {
        BaseLayout: (Original) => (properties) =>
          createElement(
            React.Fragment,
            null,
            createElement(
              'a',
              { className: 'skip', href: `#${operationsId}`, onClick: skip },
              'Skip to the operations',
            ),
            createElement(
              'div',
              { className: 'page' },
              createElement(
                'div',
                { className: 'side' },
                createElement(Search, null),
                createElement(Contents, null),
              ),
              createElement('div', { className: 'described' }, createElement(Original, properties)),
            ),
          ),
        InfoContainer: (Original) => (properties) =>
          createElement('section', { 'aria-label': 'Introduction' }, createElement(Original, properties)),
        operations: (Original) => (properties) =>
          createElement(
            React.Fragment,
            null,
            createElement('h2', { className: 'operations-title' }, 'Operations'),
            createElement(Original, properties),
          ),
        OperationTag: (Original) => (properties) => {
          const isSoon = useSoon(React);
          const isDrawn = isSoon || properties.tag === firstTag?.name;
          return createElement(Original, isDrawn ? properties : without(properties, 'children'));
        },
      },
    };
  };

/** Of the part of Swagger UI that has the operations. */
const operationsId = 'operations';

const without = (properties: Properties, name: string): Properties => ({ ...properties, [name]: null });

function skip(click: { preventDefault(): void }): void {
  click.preventDefault();
  const operations = browser.document.getElementById(operationsId);
  operations?.scrollIntoView();
  operations?.focus({ preventScroll: true });
}

/** @returns false when a component is first drawn, and true as soon as the browser has shown that. */
export function useSoon(React: React): boolean {
  const [isSoon, setSoon] = React.useState(false);
  React.useEffect(() => {
    const timer = browser.setTimeout(() => setSoon(true));
    return () => browser.clearTimeout(timer);
  }, []);
  return isSoon;
}
