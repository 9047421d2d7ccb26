import { StreamedText } from '../../contract/handler-types.js';
import type {
  AskOperation,
  FilledIn,
  OperationAnswer,
  PageFacts,
  PageValues,
} from '../../contract/page-facts.js';
import { newHttpRequestId } from '../../foundation/ids.js';

/**
 * Returns the contract as the page shows it at this moment: with live values in its samples, and `x-houmao-unavailable` at
 * every operation that would be refused now, with the sentence it would answer.
 * @param text the bundled contract.
 * @param handlers by operation.
 */
export async function liveDocument(
  text: string,
  handlers: Readonly<Record<string, unknown>>,
  facts: PageFacts | null,
): Promise<PageDocument> {
  const document = JSON.parse(text) as PageDocument;
  if (facts === null) return document;
  const ask = askIn(document, handlers);
  fillIn(document, await facts.values(ask));
  const refusals = await facts.refusals(ask);
  for (const operation of operationsOf(document)) {
    const sentence = refusals[operation.operationId];
    if (sentence !== undefined) operation['x-houmao-unavailable'] = sentence;
  }
  return document;
}

type Handle = (
  context: object,
  reply: (status: number, body?: unknown) => OperationAnswer,
) => OperationAnswer | Promise<OperationAnswer>;

/**
 * Makes the function that calls handlers of this process without HTTP: a user who sees the page has passed the walls.
 * @param document the values that are filled in are taken from it at the moment of the call.
 */
const askIn =
  (document: PageDocument, handlers: Readonly<Record<string, unknown>>): AskOperation =>
  async (operationId, instead = {}) => {
    const operation = operationsOf(document).find((one) => one.operationId === operationId);
    const handle = handlers[operationId] as Handle | undefined;
    if (!operation || !handle) throw new Error(`The contract has no operation ${operationId}.`);
    const { path, query, body } = filledIn(document, operation);
    const context = {
      path: { ...path, ...instead.path },
      query: { ...query, ...instead.query },
      headers: {},
      body: 'body' in instead ? instead.body : body,
      signal: new AbortController().signal,
      byOwner: false,
      httpRequestId: newHttpRequestId(),
    };
    try {
      const answer = await handle(context, (status, given) => ({ status, body: given }));
      if (answer.body instanceof StreamedText) answer.body.source.destroy();
      return answer;
    } catch {
      // The page shows only what is certain. A user who presses Execute gets this fault as an answer, and then it is logged.
      return { status: 500, body: undefined };
    }
  };

// The values that the page fills in for an operation: the samples of the contract, which live values replace.

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | number;
  readonly schema?: { readonly default?: unknown };
}
interface Media {
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}
interface Operation {
  readonly operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  readonly requestBody?: { readonly content: { readonly 'application/json'?: Media } };
  'x-houmao-unavailable'?: string;
}
/** The part of a bundled OpenAPI document that the page's own copy needs. */
export interface PageDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

const operationsOf = (document: PageDocument): Operation[] =>
  Object.values(document.paths).flatMap((item) =>
    Object.values(item).filter(({ operationId }) => operationId !== undefined),
  );

/** @throws Error when the document has no such parameter. */
function resolved(document: PageDocument, one: Parameter | { $ref: string }): Parameter {
  if (!('$ref' in one)) return one;
  const found = document.components?.parameters?.[one.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The contract has no ${one.$ref}.`);
  return found;
}

/** Returns the values that are sent when the user changes nothing. Parameters without a sample have their default. */
export function filledIn(
  document: PageDocument,
  { parameters = [], requestBody }: Operation,
): { path: Record<string, unknown>; query: Record<string, unknown>; body: unknown } {
  const all = parameters.map((one) => resolved(document, one));
  const valuesIn = (place: Parameter['in']): Record<string, unknown> =>
    Object.fromEntries(
      all
        .filter((one) => one.in === place)
        .map(({ name, example, schema }) => [name, example ?? schema?.default])
        .filter(([, value]) => value !== undefined),
    );
  const media = requestBody?.content['application/json'];
  const body = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  return { path: valuesIn('path'), query: valuesIn('query'), body };
}

/** Replaces the samples by live values. Anything that is not named keeps its sample. */
function fillIn(document: PageDocument, { shared, of, fields, bodies }: PageValues): void {
  for (const operation of operationsOf(document)) {
    const values: FilledIn = { ...shared, ...of[operation.operationId] };
    if (operation.parameters)
      operation.parameters = operation.parameters.map((one) => withValue(resolved(document, one), values));
    const media = operation.requestBody?.content['application/json'];
    if (media) fillMedia(media, fields, bodies[operation.operationId]);
  }
}

function withValue(parameter: Parameter, values: FilledIn): Parameter {
  const value = values[parameter.name];
  if (value === undefined) return parameter;
  const { example: _, ...rest } = parameter;
  return value === null ? rest : { ...rest, example: value };
}

function fillMedia(media: Media, fields: PageValues['fields'], whole: unknown): void {
  if (media.example !== undefined) media.example = withFields(media.example, fields);
  for (const one of Object.values(media.examples ?? {})) one.value = withFields(one.value, fields);
  if (whole === undefined) return;
  const { example, examples = example === undefined ? {} : { sample: { value: example } } } = media;
  delete media.example;
  media.examples = { here: { summary: 'What is here now', value: whole }, ...examples };
}

const withFields = (sample: unknown, fields: PageValues['fields']): unknown =>
  typeof sample !== 'object' || sample === null || Array.isArray(sample)
    ? sample
    : Object.fromEntries(
        Object.entries(sample).map(([name, value]) => [name, name in fields ? fields[name] : value]),
      );
