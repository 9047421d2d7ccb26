import {
  type ContractDocument,
  type Parameter,
  type Placed,
  resolved,
} from '../contract/contract-document.js';

/** A call of an operation with the values of its first samples. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly pathValues: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, string | number>>;
  /** Undefined where it takes none. */
  readonly body: unknown;
  /** Whether it answers text instead of JSON. */
  readonly text: boolean;
}

/** What the samples of every language say. */
export function callOf(document: ContractDocument, { method, path, operation }: Placed): Call {
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const valuesIn = (place: Parameter['in']): Record<string, string | number> =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.example !== undefined)
        .map(({ name, example }) => [name, example as string | number]),
    );
  const media = operation.requestBody?.content['application/json'];
  const answer = operation.responses['200'];
  const content = answer === undefined ? {} : (resolved(document, answer).content ?? {});
  return {
    ...{ method: method.toUpperCase(), path, operationId: operation.operationId },
    ...{ pathValues: valuesIn('path'), query: valuesIn('query') },
    body: media?.example ?? Object.values(media?.examples ?? {})[0]?.value,
    text: 'text/plain' in content,
  };
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
