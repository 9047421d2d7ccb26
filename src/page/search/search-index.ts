import { errorCatalogue } from '../catalogues/error-catalogue.js';
import { eventCatalogue } from '../catalogues/event-catalogue.js';
import {
  type ContractDocument,
  operationsOf,
  type Placed,
  resolved,
  type Schema,
} from '../contract/contract-document.js';

/** By what an operation is found. */
export interface Findable {
  /** Its own names and summary, those of its parameters, headers and fields of its body; in lower case. */
  readonly words: string;
  /** The error codes that not every operation has, and, where it tells of events, their kinds. */
  readonly tells: readonly string[];
}
export type SearchIndex = ReadonlyMap<string, Findable>;

/** What a reader may look for, by operation. */
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
      const tells = [...codes.map(({ code }) => code), ...(tellsEvents(document, placed) ? kinds : [])];
      return [operationId, { words: words.toLowerCase(), tells }];
    }),
  );
}

/** Whether a phrase finds it. What it tells is not mixed with its words, as an operation may tell of everything. */
export const isFound = ({ words, tells }: Findable, phrase: string): boolean =>
  hasWords(words, phrase) || tells.some((word) => word.startsWith(phrase.toLowerCase()));

/** Whether each word of a phrase occurs in a text in lower case. */
export const hasWords = (text: string, phrase: string): boolean =>
  phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));

const named = ({ method, path, operation: { tags = [], operationId, summary = '' } }: Placed): string[] => [
  ...tags,
  ...[method, path, operationId, summary],
];

const parametersOf = (document: ContractDocument, { operation: { parameters = [] } }: Placed): string[] =>
  parameters.map((parameter) => resolved(document, parameter).name);

function fieldsOf(document: ContractDocument, { operation: { requestBody } }: Placed): string[] {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? [] : fieldsIn(resolved<Schema>(document, schema), document);
}

/** Those of every form that a body may have. */
const fieldsIn = ({ properties = {}, oneOf = [] }: Schema, document: ContractDocument): string[] => [
  ...Object.keys(properties),
  ...oneOf.flatMap((form) => fieldsIn(resolved<Schema>(document, form), document)),
];

/** Whether its answer leads to an event, however deep. */
function tellsEvents(document: ContractDocument, { operation: { responses } }: Placed): boolean {
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
