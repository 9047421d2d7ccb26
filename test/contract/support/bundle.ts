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

/** The bundled contract of a surface. */
export const bundleOf = (surface: string): Part =>
  JSON.parse(readFileSync(new URL(`../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

export const bundle: Part = bundleOf('gateway');

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Every operation of a bundled contract. */
export const operationsIn = (document: Part): Operation[] =>
  Object.entries<Part>(document.paths).flatMap(([path, item]) =>
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

/** Every operation of the gateway's contract. */
export const operations: Operation[] = operationsIn(bundle);

function exampleOf(media: Part): unknown {
  if (!media) return null;
  return media.example ?? Object.values<Part>(media.examples ?? {})[0]?.value ?? null;
}
