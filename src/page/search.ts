import { type CatalogueSection, catalogueSections, catalogueTable, textOf } from './catalogue-panel.js';
import { errorCatalogue, eventCatalogue } from './catalogues.js';
import {
  type ContractDocument,
  type ContractSchema,
  operationsOf,
  type PlacedOperation,
  resolved,
} from './contract-document.js';
import type { Drawn, Immutable, ImmutableList, MakePlugin, React } from './swagger.js';

type Tag = Immutable & { set(key: string, value: unknown): Tag };

const hint = 'Search paths, headers, error codes, events';
/** The most rows that are shown open: more of them would hide the operations that are found, so they stay folded. */
const mostRowsShown = 5;

/** Extends the filter of Swagger UI, which searches only tags and says so, to operations and the content of the catalogues. */
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
      // For a search that finds no operation, Swagger UI says that the contract has none.
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

/** Draws the results between the field and the operations. */
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

/** The results for a phrase. */
interface Findings {
  /** The operations, by their ids. */
  readonly operations: ReadonlySet<string>;
  /** Sections with only the rows that were found; sections without such rows are left out. */
  readonly catalogues: readonly CatalogueSection[];
}

/**
 * Finds operations, and catalogue rows by the names of their codes and kinds; where no name matches, rows by any of their words.
 */
export function lookUp(index: SearchIndex, sections: readonly CatalogueSection[], phrase: string): Findings {
  const found = [...index].filter(([, findable]) => isFound(findable, phrase)).map(([id]) => id);
  const byName = withRows(sections, ({ names }) => hasWords(names.join(' '), phrase));
  return {
    operations: new Set(found),
    catalogues: byName.length > 0 ? byName : withRows(sections, (row) => hasWords(textOf(row), phrase)),
  };
}

const withRows = (
  sections: readonly CatalogueSection[],
  keeps: (row: CatalogueSection['rows'][number]) => boolean,
): CatalogueSection[] =>
  sections
    .map((section) => ({ ...section, rows: section.rows.filter(keeps) }))
    .filter(({ rows }) => rows.length > 0);

/** The words by which an operation is found. */
interface Findable {
  /** Its own names and summary, the names of its parameters, of its headers and of the fields of its body; in lower case. */
  readonly words: string;
  /** The error codes that not every operation has and, where it returns events, their kinds. */
  readonly tells: readonly string[];
}
type SearchIndex = ReadonlyMap<string, Findable>;

/** Returns the words that a reader may search for, by operation. */
export function searchIndex(document: ContractDocument): SearchIndex {
  const errors = errorCatalogue(document).filter(({ scope }) => scope === 'some');
  const kinds = eventCatalogue(document).map(({ kind }) => kind);
  return new Map(
    operationsOf(document).map((placed) => {
      const { operationId } = placed.operation;
      const codes = errors.filter(({ operations }) => operations.includes(placed.operation));
      const words = [...named(placed), ...parametersOf(document, placed), ...fieldsOf(document, placed)].join(
        ' ',
      );
      const tells = [...codes.map(({ code }) => code), ...(returnsEvents(document, placed) ? kinds : [])];
      return [operationId, { words: words.toLowerCase(), tells }];
    }),
  );
}

/**
 * Decides whether a phrase finds it. The codes and kinds in `tells` are compared apart from its words, as
 * an operation may list very many.
 */
const isFound = ({ words, tells }: Findable, phrase: string): boolean =>
  hasWords(words, phrase) || tells.some((word) => word.startsWith(phrase.toLowerCase()));

/** Decides whether each word of a phrase occurs in a text in lower case. */
const hasWords = (text: string, phrase: string): boolean =>
  phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));

const named = ({
  method,
  path,
  operation: { tags = [], operationId, summary = '' },
}: PlacedOperation): string[] => [...tags, ...[method, path, operationId, summary]];

const parametersOf = (
  document: ContractDocument,
  { operation: { parameters = [] } }: PlacedOperation,
): string[] => parameters.map((parameter) => resolved(document, parameter).name);

function fieldsOf(document: ContractDocument, { operation: { requestBody } }: PlacedOperation): string[] {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? [] : fieldsIn(resolved<ContractSchema>(document, schema), document);
}

/** Returns the fields of every form that a body may have. */
const fieldsIn = ({ properties = {}, oneOf = [] }: ContractSchema, document: ContractDocument): string[] => [
  ...Object.keys(properties),
  ...oneOf.flatMap((form) => fieldsIn(resolved<ContractSchema>(document, form), document)),
];

/** Decides whether its answer contains an event, at any depth. */
function returnsEvents(document: ContractDocument, { operation: { responses } }: PlacedOperation): boolean {
  const seen = new Set<string>();
  const leadsThere = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    const { $ref } = part as { $ref?: unknown };
    if (typeof $ref !== 'string') return Object.values(part).some(leadsThere);
    if ($ref.endsWith('/schemas/GatewayEvent')) return true;
    if (seen.has($ref)) return false;
    seen.add($ref);
    return leadsThere(resolved(document, { $ref }));
  };
  return Object.entries(responses).some(
    ([status, response]) => status < '300' && leadsThere(resolved(document, response).content),
  );
}
