import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { PageFacts } from '../../contract/page-facts.js';
import { packageRoot } from '../../foundation/version.js';
import { liveDocument } from './live-document.js';

export interface DocsPageParts {
  /** The bundled contract, as JSON. */
  readonly document: () => string;
  readonly title: string;
  /** By operation. */
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly facts: PageFacts | null;
}

/**
 * Swagger UI at `/docs/`, to which `/` leads, and the contract at `/openapi.json`. The page shows its own copy of it, made for
 * each load. Everything comes from this server, nothing from elsewhere.
 */
export function docsPage({ document, title, handlers, facts }: DocsPageParts): Router {
  const router = Router({ strict: true, caseSensitive: true });
  let text: string | undefined;
  router.get('/openapi.json', (_request: Request, response: Response) => {
    text ??= JSON.stringify(JSON.parse(document()));
    response.type('application/json').send(text);
  });
  router.get('/', (_request: Request, response: Response) => {
    // Not for good: another program may have this port tomorrow.
    response.status(302).setHeader('Location', '/docs/').end();
  });
  router.get('/docs', (_request: Request, response: Response) => {
    response.status(301).setHeader('Location', '/docs/').end();
  });
  router.get('/docs/', (_request: Request, response: Response) => {
    response.type('html').send(pageHtml(title));
  });
  router.get('/docs/openapi.json', async (_request: Request, response: Response) => {
    response.json(await liveDocument(document(), handlers, facts));
  });
  router.get('/docs/:file', sendFile);
  return router;
}

/**
 * Whether a request is for what everybody is sent: the page without its document, which has nothing of this surface and asks for the token
 * itself (docs/decisions.md#who-may-call).
 */
export function isPageShell({ method, url = '' }: Pick<Request, 'method' | 'url'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const [path = ''] = url.split('?');
  const file = /^\/docs\/(.+)$/.exec(path)?.[1];
  return file === undefined ? ['/', '/docs', '/docs/'].includes(path) : pageFiles().has(file);
}

const sendFile: RequestHandler<{ file: string }> = ({ params: { file } }, response, next) => {
  // Looked up when somebody opens the page: most gateways never show it.
  const path = pageFiles().get(file);
  if (path === undefined) next();
  else response.sendFile(path);
};

/** What the page loads, by its name: the engine, and what the build made of `src/page/`. */
function pageFiles(): ReadonlyMap<string, string> {
  const engine = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const own = join(packageRoot, 'dist', 'page');
  const inFolder = (folder: string, ...names: string[]): [string, string][] =>
    names.map((name) => [name, join(folder, name)]);
  return new Map([
    ...inFolder(engine, 'swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-16x16.png', 'favicon-32x32.png'),
    ...inFolder(own, 'page.css', 'page.js'),
  ]);
}

/** @param title goes into the page as it is: it is a text of ours. */
const pageHtml = (title: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" type="image/png" href="./favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="./favicon-16x16.png" sizes="16x16">
  <link rel="stylesheet" href="./swagger-ui.css">
  <link rel="stylesheet" href="./page.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="./swagger-ui-bundle.js"></script>
<script src="./page.js"></script>
</body>
</html>
`;
