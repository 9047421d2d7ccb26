import type { SurfaceRequest } from '../server/server.js';
import type { ContractChecks, OperationChecks } from './contract-checks.js';
import { at } from './eov/resolve-by-pointer.js';

interface Operation {
  operationId: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | Reference>;
}
interface Reference {
  $ref: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}
interface Answer {
  content?: Record<string, Media>;
  headers?: Record<string, unknown>;
}
interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
/** The part of the bundled document that has its examples. */
export interface Examples {
  paths: Record<string, Record<string, Operation>>;
}

/**
 * Runs every operation's own examples through its checks. The build does this, so that an invalid schema, or an example that
 * does not fit, is found there and not by a caller.
 * @param checks that throw the fault of an answer.
 * @returns the faults, one line for each operation that contradicts itself.
 */
export function checkExamples(document: Examples, checks: ContractChecks): string[] {
  return checks.all().flatMap(([method, path]) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) return [];
    try {
      checkExample(document, path, operation, checks.operation(method, path));
      return [];
    } catch (error) {
      const { message, errors } = error as Error & { errors?: unknown };
      return [`${operation.operationId}: ${message} ${JSON.stringify(errors ?? '')}`];
    }
  });
}

function checkExample(document: Examples, path: string, operation: Operation, checks: OperationChecks): void {
  const resolved = <T extends object>(part: T | Reference): T =>
    ('$ref' in part ? at(document, part.$ref) : part) as T;
  const parameters = (operation.parameters ?? []).map(resolved);
  const examples = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      parameters.filter((one) => one.in === place).map(({ name, example }) => [name, example ?? 'x']),
    );
  const request = {
    originalUrl: path,
    path,
    query: Object.fromEntries(
      parameters
        .filter((one) => one.in === 'query' && one.required)
        .map(({ name, example }) => [name, example]),
    ),
    params: examples('path'),
    headers: {},
    body: operation.requestBody && exampleOf(operation.requestBody.content['application/json']),
  };
  checks.request(request as unknown as SurfaceRequest);
  const [status = '200', declared = {}] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const { content, headers } = resolved<Answer>(declared);
  if (content?.['text/plain']) checks.text(Number(status), headers ?? {});
  else checks.answer(Number(status), exampleOf(content?.['application/json']));
}

const exampleOf = (media: Media | undefined): unknown =>
  media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
