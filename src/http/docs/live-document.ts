import type { PageFacts } from '../../contract/page-facts.js';
import { askIn } from './ask-operation.js';
import { fillIn, operationsOf, type PageDocument } from './filled-in.js';

/**
 * The contract as the page shows it at this moment: with live values in its samples, and `x-houmao-unavailable` at every
 * operation that would be refused now, which is the sentence that it would answer.
 * @param text of the bundled contract.
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
