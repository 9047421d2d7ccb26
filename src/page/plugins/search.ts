import { type CatalogueSection, catalogueSections } from '../catalogues/catalogue-sections.js';
import type { ContractDocument } from '../contract/contract-document.js';
import { type Findings, lookUp } from '../search/look-up.js';
import { searchIndex } from '../search/search-index.js';
import { catalogueTable } from './catalogue-table.js';
import type { Drawn, Immutable, ImmutableList, MakePlugin, React } from './swagger.js';

type Tag = Immutable & { set(key: string, value: unknown): Tag };

const hint = 'Search paths, headers, error codes, events';
/** More of them would hide the operations that are found, and stay folded. */
const mostRowsShown = 5;

/** Has the filter of Swagger UI, which looks at tags alone and says so, find operations and what the catalogues tell. */
export const search = (document: ContractDocument): MakePlugin => {
  const index = searchIndex(document);
  const sections = catalogueSections(document);
  const find = (phrase: string): Findings => lookUp(index, sections, phrase);
  return ({ React, layoutActions, layoutSelectors }) => ({
    components: {
      FilterContainer: () => {
        const [phrase, setPhrase] = React.useState('');
        const onChange = ({ target }: { target: { value: string } }): void => {
          const given = target.value.trim();
          setPhrase(given);
          layoutActions.updateFilter(given);
        };
        const input = { type: 'search', placeholder: hint, 'aria-label': hint, onChange };
        return React.createElement(
          'div',
          { className: 'wrapper search' },
          React.createElement('input', input),
          phrase !== '' && found(React, find(phrase), phrase),
        );
      },
    },
    wrapComponents: {
      // Swagger UI says of a search without operations that the contract has none.
      operations: (Original) => (properties) => {
        const phrase = layoutSelectors.currentFilter();
        const isNone = typeof phrase === 'string' && phrase !== '' && find(phrase).operations.size === 0;
        return isNone ? null : React.createElement(Original, properties);
      },
    },
    fn: {
      opsFilter: (tags: ImmutableList<Tag>, phrase: string) => {
        const { operations } = find(phrase);
        return tags
          .map((tag) => {
            const all = tag.get('operations') as ImmutableList<Immutable>;
            const kept = all.filter((one) => operations.has(String(one.getIn(['operation', 'operationId']))));
            return tag.set('operations', kept);
          })
          .filter((tag) => (tag.get('operations') as ImmutableList<Immutable>).size > 0);
      },
    },
  });
};

/** What stands between the field and the operations. */
function found(React: React, { operations, catalogues }: Findings, phrase: string): Drawn {
  if (operations.size === 0 && catalogues.length === 0)
    return React.createElement('p', { role: 'status' }, `Nothing matches “${phrase}”.`);
  return React.createElement(
    'div',
    { className: 'found' },
    ...catalogues.map((section) =>
      catalogueTable(React, section, {
        title: titleOf(section),
        open: section.rows.length <= mostRowsShown,
      }),
    ),
  );
}

const titleOf = ({ name, rows }: CatalogueSection): string => `${name}: ${rows.length} found`;
