import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NextFunction, type Response, Router } from 'express';
import { errorsMarkdown, eventsMarkdown } from '../../contract/document/catalogue-markdown.js';
import { type ContractDocument, workflowPath } from '../../contract/document/contract-document.js';
import { type JsonObject, tagDocument } from '../../contract/document/document-parts.js';
import { indexText, tagText } from '../../contract/document/document-text.js';
import { openWords } from '../../contract/document/open-words.js';
import { asOpenapi30 } from '../../contract/document/openapi-3.0.js';
import { packageRoot } from '../../foundation/version.js';

/** Where a program finds the contract of a surface, as headers of whatever is not an operation (RFC 8631). */
export const indexLinks =
  '</llms.txt>; rel="index"; type="text/markdown", </openapi.json>; rel="service-desc"; type="application/json", </docs/>; rel="service-doc"; type="text/html"';

/** The contract of a surface for readers with little room: what it has and where, and each tag by itself. */
export interface DocumentIndexes {
  /** Answers with the index. */
  readonly index: (response: Response) => void;
  /**
   * `/llms.txt`, `/openapi-3.0.json`, `/openapi/{tag}` as `.json`, as `.md` or as the caller accepts it, `/openapi/workflows/{name}.yaml`, `/docs/errors.md` and
   * `/docs/events.md`.
   */
  readonly routes: Router;
}

/** @param text the bundled contract, as JSON. Each text is made once, when it is first asked for: cutting a tag out takes up to 50 ms. */
export function documentIndexes(text: () => string): DocumentIndexes {
  const document = once((): ContractDocument & JsonObject => JSON.parse(text()));
  const contract = () => ({ name: document().info.title, document: document() });
  const llms = once(() => indexText(document()));
  const errors = once(() => errorsMarkdown([contract()]));
  const events = once(() => eventsMarkdown(contract()));
  const opened = once(() => openWords(document()));
  const older = once(() => JSON.stringify(asOpenapi30(opened())));
  const tags = once(
    () =>
      new Map(
        (document().tags ?? []).map(({ name }) => [
          name,
          {
            json: once(() => JSON.stringify(tagDocument(opened(), name))),
            text: once(() => tagText(document(), name) ?? ''),
          },
        ]),
      ),
  );
  const routes = Router({ strict: true, caseSensitive: true });
  const index = (response: Response): void => markdown(response, llms());
  routes.get('/llms.txt', (_request, response) => index(response));
  routes.get('/openapi-3.0.json', (_request, response) => {
    response.type('json').send(older());
  });
  const asDocument = (tag: string, response: Response, next: NextFunction): void => {
    const part = tags().get(tag);
    if (part === undefined) next();
    else response.type('json').send(part.json());
  };
  const asText = (tag: string, response: Response, next: NextFunction): void => {
    const part = tags().get(tag);
    if (part === undefined) next();
    else markdown(response, part.text());
  };
  routes.get('/openapi/:tag.json', ({ params: { tag } }, response, next) => asDocument(tag, response, next));
  routes.get('/openapi/:tag.md', ({ params: { tag } }, response, next) => asText(tag, response, next));
  routes.get('/openapi/:tag', (request, response, next) => {
    response.vary('Accept');
    const wanted = request.accepts(['application/json', 'text/markdown']);
    (wanted === 'text/markdown' ? asText : asDocument)(request.params.tag, response, next);
  });
  routes.get('/openapi/workflows/:name.yaml', ({ params: { name }, protocol, headers }, response, next) => {
    if (document().info['x-houmao-workflows']?.includes(name) !== true) return next();
    const written = readFileSync(join(packageRoot, workflowPath(name)), 'utf8');
    response.type('application/yaml').send(workflowAt(written, `${protocol}://${headers.host}`));
  });
  routes.get('/docs/errors.md', (_request, response) => markdown(response, errors()));
  routes.get('/docs/events.md', (_request, response) => markdown(response, events()));
  return { index, routes };
}

/**
 * Writes into a workflow where the caller reached this surface: a copy of it then runs as it is, wherever it was saved.
 * @param origin such as `http://127.0.0.1:43123`.
 */
const workflowAt = (text: string, origin: string): string =>
  text
    .replace(/^( +url: ).*$/m, (_line, key: string) => `${key}${origin}/openapi.json`)
    .replace(/^( +x-serverUrl: ).*$/m, (_line, key: string) => key + origin);

/** Makes a value when it is first asked for, and keeps it. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const markdown = (response: Response, text: string): void => {
  response.type('text/markdown').send(text);
};
