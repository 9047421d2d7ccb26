import { readFileSync } from 'node:fs';

/** A part of the bundled contract. */
// biome-ignore lint/suspicious/noExplicitAny: tests walk through parts of every shape.
export type Part = any;

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  addition: boolean;
  /** The contract's own example of a body, null where the operation takes none. */
  body: unknown;
  statuses: string[];
}

export const bundle: Part = JSON.parse(
  readFileSync(new URL('../../../generated/gateway/openapi.json', import.meta.url), 'utf8'),
);

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Every operation of the contract. */
export const operations: Operation[] = Object.entries<Part>(bundle.paths).flatMap(([path, item]) =>
  methods
    .filter((method) => item[method])
    .map((method) => ({
      operationId: item[method].operationId,
      method: method.toUpperCase(),
      path,
      addition: item[method]['x-houmao-addition'] === true,
      body: exampleOf(item[method].requestBody?.content['application/json']),
      statuses: Object.keys(item[method].responses),
    })),
);

function exampleOf(media: Part): unknown {
  if (!media) return null;
  return media.example ?? Object.values<Part>(media.examples ?? {})[0]?.value ?? null;
}
