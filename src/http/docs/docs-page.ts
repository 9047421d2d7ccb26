import { join } from 'node:path';
import compression from 'compression';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { openWords, withPlainHeaders } from '../../contract/document/open-words.js';
import type { PageFacts } from '../../contract/page-facts.js';
import { packageRoot } from '../../foundation/version.js';
import type { SurfaceResponse } from '../server/server.js';
import { documentIndexes, indexLinks } from './document-indexes.js';
import { liveDocument } from './live-document.js';

export interface DocsPageParts {
  /** The bundled contract, as JSON. */
  readonly document: () => string;
  readonly title: string;
  /** The HTML that the page shows until its script has drawn it. */
  readonly outline: () => string;
  /** The handlers by operation. */
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly facts: PageFacts | null;
  /** Whether `/` is the console; else it leads to the docs page. */
  readonly hasConsole: boolean;
}

/** The files that swagger-ui-express serves for its page. */
const engineFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-16x16.png', 'favicon-32x32.png'];
/** The files that the build makes of `src/page/`: the plugins of the page, and its look. */
const ownFiles = ['page.css', 'page.js'];
/** The files that the build makes of `console/`, besides its page. */
const consoleFiles = ['console.css', 'console.js', 'xterm.css', 'xterm.js'];
/** The console gives orders to agents: it runs no script of others, and no other page may show it in a frame. */
const consolePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/**
 * Serves Swagger UI at `/docs/`, the contract at `/openapi.json`, and the console at `/` where the surface has one; at both, a program that
 * does not ask for HTML gets the index of the contract. The docs page shows its own copy of the contract, made for each load. Everything comes from this server, nothing from elsewhere.
 */
export function docsPage({ document, title, outline, handlers, facts, hasConsole }: DocsPageParts): Router {
  const router = Router({ strict: true, caseSensitive: true });
  // Operations are not compressed: their answers are short, and streams must not wait for more.
  router.use(
    ['/docs', '/console', '/openapi', '/openapi.json', '/openapi-3.0.json', '/llms.txt'],
    compression(),
  );
  const { index, routes } = documentIndexes(document);
  // Also the answer to a path that there is not.
  router.use((_request, response, next) => {
    response.setHeader('Link', indexLinks);
    next();
  });
  router.get(['/', '/docs/'], (request, response, next) => {
    response.vary('Accept');
    const types = request.path === '/' ? ['text/markdown', 'text/html'] : ['text/html', 'text/markdown'];
    if (request.accepts(types) === 'text/markdown') index(response);
    else next();
  });
  router.use(routes);
  router.use(['/docs', '/console'], (request, response, next) => {
    if (isPageShell({ method: request.method, url: request.originalUrl })) mayBeKept(response);
    next();
  });
  let text: string | undefined;
  router.get('/openapi.json', (_request: Request, response: Response) => {
    text ??= JSON.stringify(withPlainHeaders(openWords(JSON.parse(document()))));
    response.type('application/json').send(text);
  });
  if (hasConsole) serveConsole(router);
  else
    router.get('/', (_request: Request, response: Response) => {
      // The redirect is temporary: another program may have this port tomorrow.
      response.status(302).setHeader('Location', '/docs/').end();
    });
  router.get('/docs', (_request: Request, response: Response) => {
    response.status(301).setHeader('Location', '/docs/').end();
  });
  const engine = pageEngine(title, outline);
  router.get('/docs/', (_request: Request, response: Response) => {
    response.type('html').send(engine().html);
  });
  router.get('/docs/openapi.json', async (_request: Request, response: Response) => {
    response.json(await liveDocument(document(), handlers, facts));
  });
  router.get('/docs/:file', ({ params: { file } }: Request<{ file: string }>, response, next) => {
    if (ownFiles.includes(file)) response.sendFile(inPage(file));
    else next();
  });
  router.use('/docs', (request, response, next) => {
    if (isPageShell({ method: request.method, url: request.originalUrl }))
      engine().files(request, response, next);
    else next();
  });
  return router;
}

const inPage = (...path: string[]): string => join(packageRoot, 'dist', 'page', ...path);

function serveConsole(router: Router): void {
  router.get('/', compression(), (_request: Request, response: Response) => {
    mayBeKept(response);
    response.setHeader('Content-Security-Policy', consolePolicy);
    response.sendFile(inPage('console', 'index.html'));
  });
  router.get('/console/:file', ({ params: { file } }: Request<{ file: string }>, response, next) => {
    if (consoleFiles.includes(file)) response.sendFile(inPage('console', file));
    else next();
  });
}

/**
 * Decides whether a request is for a file that every caller may have: the page without its document, which contains nothing of
 * this surface and itself asks for the token (docs/decisions.md#who-may-call).
 */
export function isPageShell({ method, url = '' }: Pick<Request, 'method' | 'url'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const [path = ''] = url.split('?');
  const [, folder, file] = /^\/(docs|console)\/(.+)$/.exec(path) ?? [];
  if (folder === undefined || file === undefined) return ['/', '/docs', '/docs/', '/llms.txt'].includes(path);
  if (folder === 'console') return consoleFiles.includes(file);
  return engineFiles.includes(file) || ownFiles.includes(file);
}

/** Lets a browser keep a file of the page. It asks each time whether the file has changed, which another program at this port may have. */
const mayBeKept = (response: Response): void => {
  (response as SurfaceResponse).cacheControl = 'no-cache';
};

interface PageEngine {
  readonly html: string;
  /** The steps that serve {@link engineFiles}, and other files of the package, which no request is let through for. */
  readonly files: RequestHandler;
}

/**
 * Makes the page of swagger-ui-express when a user opens it first: most gateways never show it. `src/page/start.ts` is in place of
 * its start-up script, and asks for the token before there is a document to show.
 */
function pageEngine(title: string, outline: () => string): () => PageEngine {
  let made: PageEngine | undefined;
  return () => {
    made ??= {
      html: ownHtml(swaggerUi.generateHTML(undefined, { customSiteTitle: title }), outline()),
      files: Router().use(swaggerUi.serveFiles(undefined)),
    };
    return made;
  };
}

const engineScripts = ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui-init.js'].map(
  (file) => `<script src="./${file}"> </script>`,
);
const ownHead = `<head>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <script defer src="./page.js"></script>
  <script defer src="./swagger-ui-bundle.js"></script>`;

/** Swagger UI draws in it, in place of the outline. */
const place = '<div id="swagger-ui"></div>';

/**
 * Adds the size of a phone, which the page of swagger-ui-express lacks (https://github.com/scottie1984/swagger-ui-express/pull/383), and
 * has it load its script beside everything else and not before it, and none of a layout that this page does not use.
 */
const ownHtml = (html: string, outline: string): string =>
  engineScripts
    .reduce((text, script) => text.replace(script, ''), html)
    .replace('<head>', ownHead)
    // Behind the stylesheet of Swagger UI, parts of which it changes.
    .replace('</head>', '  <link rel="stylesheet" href="./page.css">\n</head>')
    .replace(place, () => place.replace('><', `>${outline}<`));
