import type { SurfaceRequest } from '../server/messages.js';
import type { ContractChecks, OperationChecks } from './contract-checks.js';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
/** As much of the bundled document as has its examples. */
export interface Examples {
  paths: Record<string, Record<string, Operation>>;
}

/**
 * Puts every operation's own examples through its checks. The build does: a schema that is none, or an example that does
 * not fit, would otherwise be found by a caller.
 * @param checks that throw what is wrong with an answer.
 * @returns what is wrong, one line for each operation that contradicts itself.
 */
export function checkExamples({ paths }: Examples, checks: ContractChecks): string[] {
  return checks.all().flatMap(([method, path]) => {
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) return [];
    try {
      checkExample(path, operation, checks.operation(method, path));
      return [];
    } catch (error) {
      const { message, errors } = error as Error & { errors?: unknown };
      return [`${operation.operationId}: ${message} ${JSON.stringify(errors ?? '')}`];
    }
  });
}

function checkExample(path: string, operation: Operation, checks: OperationChecks): void {
  const url = path.replace(/\{[^}]+\}/g, 'x');
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => [name, 'x']);
  const request = {
    originalUrl: url,
    path: url,
    query: {},
    params: Object.fromEntries(names) as Record<string, string>,
    headers: {},
    body: operation.requestBody && exampleOf(operation.requestBody.content['application/json']),
  };
  checks.request(request as unknown as SurfaceRequest);
  const [status = '200', response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  checks.answer(Number(status), exampleOf(response?.content?.['application/json']));
}

const exampleOf = (media: Media | undefined): unknown =>
  media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
