import { type NextFunction, type Response, Router } from 'express';
import { errorsMarkdown, eventsMarkdown } from '../../contract/document/catalogue-markdown.js';
import type { ContractDocument } from '../../contract/document/contract-document.js';
import { type JsonObject, tagDocument } from '../../contract/document/document-parts.js';
import { indexText, tagText } from '../../contract/document/document-text.js';

/** Where a program finds the contract of a surface, as headers of whatever is not an operation (RFC 8631). */
export const indexLinks =
  '</llms.txt>; rel="index"; type="text/markdown", </openapi.json>; rel="service-desc"; type="application/json", </docs/>; rel="service-doc"; type="text/html"';

/** The contract of a surface for readers with little room: what it has and where, and each tag by itself. */
export interface DocumentIndexes {
  /** Answers with the index. */
  readonly index: (response: Response) => void;
  /** `/llms.txt`, `/openapi/{tag}` as `.json`, as `.md` or as the caller accepts it, `/docs/errors.md` and `/docs/events.md`. */
  readonly routes: Router;
}

/** @param text the bundled contract, as JSON. */
export function documentIndexes(text: () => string): DocumentIndexes {
  let read: ContractDocument & JsonObject;
  const document = (): ContractDocument & JsonObject => {
    read ??= JSON.parse(text());
    return read;
  };
  const routes = Router({ strict: true, caseSensitive: true });
  const index = (response: Response): void => markdown(response, indexText(document()));
  routes.get('/llms.txt', (_request, response) => index(response));
  const asDocument = (tag: string, response: Response, next: NextFunction): void => {
    const part = tagDocument(document(), tag);
    if (part === null) next();
    else response.json(part);
  };
  const asText = (tag: string, response: Response, next: NextFunction): void => {
    const part = tagText(document(), tag);
    if (part === null) next();
    else markdown(response, part);
  };
  routes.get('/openapi/:tag.json', ({ params: { tag } }, response, next) => asDocument(tag, response, next));
  routes.get('/openapi/:tag.md', ({ params: { tag } }, response, next) => asText(tag, response, next));
  routes.get('/openapi/:tag', (request, response, next) => {
    response.vary('Accept');
    const wanted = request.accepts(['application/json', 'text/markdown']);
    (wanted === 'text/markdown' ? asText : asDocument)(request.params.tag, response, next);
  });
  const contract = () => ({ name: document().info.title, document: document() });
  routes.get('/docs/errors.md', (_request, response) => markdown(response, errorsMarkdown([contract()])));
  routes.get('/docs/events.md', (_request, response) => markdown(response, eventsMarkdown(contract())));
  return { index, routes };
}

const markdown = (response: Response, text: string): void => {
  response.type('text/markdown').send(text);
};
