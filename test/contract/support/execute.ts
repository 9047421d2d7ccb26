import { sentenceOf } from '../../../src/contract/page-facts.js';
import { filledIn, type PageDocument } from '../../../src/http/docs/live-document.js';
import { call } from '../../support/http.js';

/** The result of an operation that was sent as the page sends it, and the page's mark on it beforehand. */
export interface Executed {
  operationId: string;
  status: number;
  sentence: string | null;
  /** Undefined for what can be done. */
  mark: string | undefined;
}

/** Sends every operation of a surface but some with what its page fills in. */
export async function executeAll(
  url: string,
  but: readonly string[],
  before: (operationId: string) => Promise<unknown> = async () => undefined,
): Promise<Executed[]> {
  const document = (await call(url, 'GET', '/docs/openapi.json')).body as PageDocument;
  const executed: Executed[] = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item)) {
      const { operationId } = operation;
      if (but.includes(operationId)) continue;
      await before(operationId);
      const filled = filledIn(document, operation);
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(String(filled.path[name])),
      );
      const query = new URLSearchParams(
        Object.entries(filled.query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const whole = query.size === 0 ? address : `${address}?${query}`;
      const answer = await call(url, method.toUpperCase(), whole, filled.body);
      const mark = operation['x-houmao-unavailable'];
      executed.push({ operationId, status: answer.status, sentence: sentenceOf(answer), mark });
    }
  return executed;
}

/** The operations that neither succeed nor were marked beforehand with the same words. */
export const unexpected = (executed: readonly Executed[]): Executed[] =>
  executed.filter(({ status, sentence, mark }) => (status < 300 ? mark !== undefined : mark !== sentence));

export const marked = (executed: readonly Executed[]): string[] =>
  executed.filter(({ mark }) => mark !== undefined).map(({ operationId }) => operationId);
