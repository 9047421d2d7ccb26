import {
  type ContractDocument,
  type Parameter,
  type Placed,
  resolved,
  type Schema,
} from '../contract/contract-document.js';

type Value = string | number | boolean;
type Values = Readonly<Record<string, Value>>;

/** A call of an operation with the values of its first samples, or with those that a person filled in. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly pathValues: Values;
  readonly query: Values;
  readonly headers: Values;
  /** Undefined where it takes none. */
  readonly body: unknown;
  /** Whether it answers text instead of JSON. */
  readonly text: boolean;
}

/** The values in the fields of an operation on the page. */
export interface FilledIn {
  /** By place and name, such as `query.limit`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The text of the body; left out where there is none yet. */
  readonly body?: string | undefined;
}

/**
 * What the samples of every language say.
 * @param filledIn left out, the values of the contract's samples.
 * @returns null for a body that is no JSON: no sample could send it.
 */
export function callOf(document: ContractDocument, placed: Placed): Call;
export function callOf(document: ContractDocument, placed: Placed, filledIn: FilledIn): Call | null;
export function callOf(
  document: ContractDocument,
  { method, path, operation }: Placed,
  filledIn?: FilledIn,
): Call | null {
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const givenFor = (one: Parameter): unknown =>
    filledIn ? typed(document, one, filledIn.parameters[`${one.in}.${one.name}`]) : one.example;
  const valuesIn = (place: Parameter['in']): Values =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place)
        .map((one) => [one.name, givenFor(one)])
        .filter((entry): entry is [string, Value] => entry[1] !== undefined),
    );
  const media = operation.requestBody?.content['application/json'];
  const sample = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const body = media && filledIn?.body !== undefined ? read(filledIn.body) : { value: sample };
  if (body === null) return null;
  const answer = operation.responses['200'];
  const content = answer === undefined ? {} : (resolved(document, answer).content ?? {});
  return {
    ...{ method: method.toUpperCase(), path, operationId: operation.operationId },
    ...{ pathValues: valuesIn('path'), query: valuesIn('query'), headers: valuesIn('header') },
    body: body.value,
    text: 'text/plain' in content,
  };
}

/** Fields hold text; the SDK takes numbers and booleans. @returns undefined for an empty field. */
function typed(document: ContractDocument, { schema }: Parameter, given: unknown): unknown {
  if (given === undefined || given === null || given === '') return undefined;
  const { type } = schema === undefined ? {} : resolved<Schema>(document, schema);
  const text = String(given);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return (type === 'integer' || type === 'number') && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** An empty text is no body. */
function read(text: string): { value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** The address of a call below that of its server. */
export function addressOf({ path, pathValues, query }: Call): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = pathValues[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.append(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}
