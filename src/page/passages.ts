import type { ErrorEntry, EventEntry } from '../contract/document/catalogues.js';
import {
  type ContractDocument,
  type ContractSchema,
  type Media,
  type PlacedOperation,
  type Referring,
  resolved,
} from '../contract/document/contract-document.js';

/** Where a passage of an operation stands. */
export type Place =
  | 'name'
  | 'path'
  | 'summary'
  | 'description'
  | 'parameter'
  | 'request field'
  | 'answer'
  | 'answer field'
  | 'error code'
  | 'event kind';

/** A text that the search looks through. */
export interface Passage {
  readonly place: Place;
  /** The name of the parameter, field or code; null where the place has none. */
  readonly name: string | null;
  readonly text: string;
}

/** The catalogues of the surface. */
export interface Catalogues {
  readonly errors: readonly ErrorEntry[];
  readonly events: readonly EventEntry[];
}

/**
 * Returns everything that the contract says of an operation, in the order in which a reader would look: errors that every
 * operation answers are left out.
 */
export function passagesOf(
  document: ContractDocument,
  placed: PlacedOperation,
  { errors, events }: Catalogues,
): Passage[] {
  const { method, path, operation } = placed;
  const { tags = [], operationId, summary = '', description = '', parameters = [] } = operation;
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status < '300')
    .map(([, answer]) => resolved(document, answer));
  const answerFields = answers.flatMap(({ content = {} }) => fieldsOf(document, content, events));
  const codes = errors.filter(({ scope, operations }) => scope === 'some' && operations.includes(operation));
  const fieldPassage =
    (place: Place) =>
    ({ name, text }: Field): Passage => ({ place, name, text });
  const passages: Passage[] = [
    { place: 'summary', name: null, text: summary },
    { place: 'path', name: null, text: `${method.toUpperCase()} ${path}` },
    { place: 'name', name: null, text: [operationId, ...tags].join(' ') },
    { place: 'description', name: null, text: plain(description) },
    ...parameters.map((one): Passage => {
      const parameter = resolved(document, one);
      return { place: 'parameter', name: parameter.name, text: plain(parameter.description) };
    }),
    ...fieldsOf(document, operation.requestBody?.content ?? {}, events).map(fieldPassage('request field')),
    ...answers.map((answer): Passage => ({ place: 'answer', name: null, text: plain(answer.description) })),
    ...answerFields.filter(({ kind }) => !kind).map(fieldPassage('answer field')),
    ...answerFields.filter(({ kind }) => kind).map(fieldPassage('event kind')),
    ...codes.map(
      ({ code, sentence }): Passage => ({ place: 'error code', name: code, text: plain(sentence) }),
    ),
  ];
  return passages.filter(({ name, text }) => name !== null || text !== '');
}

/** Removes the marks of Markdown, which a reader does not see. */
const plain = (text = ''): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

interface Field {
  readonly name: string;
  readonly text: string;
  /** Whether it is a kind of event. */
  readonly kind: boolean;
}

/** Returns the fields of a body at any depth, each name with each of its texts once. */
function fieldsOf(
  document: ContractDocument,
  content: Readonly<Record<string, Media>>,
  events: readonly EventEntry[],
): Field[] {
  const seen = new Set<unknown>();
  const found = new Map<string, Field>();
  const look = (part: ContractSchema | Referring | undefined): void => {
    if (part === undefined || seen.has(part)) return;
    seen.add(part);
    if ('$ref' in part && part.$ref.endsWith('/schemas/GatewayEvent')) {
      for (const { kind, sentence } of events)
        found.set(kind, { name: kind, text: plain(sentence), kind: true });
      return;
    }
    const schema = resolved(document, part);
    if (schema !== part && seen.has(schema)) return;
    seen.add(schema);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const text = plain(textOf(document, field));
      found.set(`${name} ${text}`, { name, text, kind: false });
      look(field);
    }
    for (const inner of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])])
      look(inner);
    look(schema.items);
  };
  for (const { schema } of Object.values(content)) look(schema);
  return [...found.values()];
}

/** Returns the description of a field, or of what it refers to. */
const textOf = (document: ContractDocument, field: ContractSchema | Referring): string | undefined => {
  const { description } = field as ContractSchema;
  return description ?? resolved(document, field).description;
};
