import type { Asked, AskOperation } from '../../contract/page-facts.js';
import { StreamedText } from '../../contract/streamed-text.js';
import { newHttpRequestId } from '../../foundation/ids.js';
import { filledIn, operationsOf, type PageDocument } from './filled-in.js';

type Handle = (context: object, reply: (status: number, body?: unknown) => Asked) => Asked | Promise<Asked>;

/**
 * Asks handlers of this process, past HTTP: whoever sees the page has passed the walls.
 * @param document what is filled in is taken from it at the moment of asking.
 */
export const askIn =
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
      httpRequestId: newHttpRequestId(),
    };
    try {
      const answer = await handle(context, (status, given) => ({ status, body: given }));
      if (answer.body instanceof StreamedText) answer.body.source.destroy();
      return answer;
    } catch {
      // The page tells of what is certain. Who presses Execute is told of this, and the log with it.
      return { status: 500, body: undefined };
    }
  };
