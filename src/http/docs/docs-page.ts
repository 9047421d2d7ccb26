import { join } from 'node:path';
import compression from 'compression';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import type { PageFacts } from '../../contract/page-facts.js';
import { packageRoot } from '../../foundation/version.js';
import type { SurfaceResponse } from '../server/messages.js';
import { liveDocument } from './live-document.js';

export interface DocsPageParts {
  /** The bundled contract, as JSON. */
  readonly document: () => string;
  readonly title: string;
  /** The handlers by operation. */
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly facts: PageFacts | null;
}

/** The files that swagger-ui-express serves for its page. */
const engineFiles = [
  ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-init.js'],
  ...['favicon-16x16.png', 'favicon-32x32.png'],
];
/** The files that the build makes of `src/page/`: the plugins of the page, and its look. */
const ownFiles = ['page.css', 'page.js'];

/**
 * Serves Swagger UI at `/docs/`, to which `/` redirects, and the contract at `/openapi.json`. The page shows its own copy of
 * the contract, made for each load. Everything comes from this server, nothing from elsewhere.
 */
export function docsPage({ document, title, handlers, facts }: DocsPageParts): Router {
  const router = Router({ strict: true, caseSensitive: true });
  // Operations are not compressed: their answers are short, and streams must not wait for more.
  router.use(['/docs', '/openapi.json'], compression());
  router.use('/docs', (request, response, next) => {
    if (isPageShell({ method: request.method, url: request.originalUrl })) mayBeKept(response);
    next();
  });
  let text: string | undefined;
  router.get('/openapi.json', (_request: Request, response: Response) => {
    text ??= JSON.stringify(JSON.parse(document()));
    response.type('application/json').send(text);
  });
  router.get('/', (_request: Request, response: Response) => {
    // The redirect is temporary: another program may have this port tomorrow.
    response.status(302).setHeader('Location', '/docs/').end();
  });
  router.get('/docs', (_request: Request, response: Response) => {
    response.status(301).setHeader('Location', '/docs/').end();
  });
  const engine = pageEngine(title);
  router.get('/docs/', (_request: Request, response: Response) => {
    response.type('html').send(engine().html);
  });
  router.get('/docs/openapi.json', async (_request: Request, response: Response) => {
    response.json(await liveDocument(document(), handlers, facts));
  });
  router.get('/docs/:file', ({ params: { file } }: Request<{ file: string }>, response, next) => {
    if (ownFiles.includes(file)) response.sendFile(join(packageRoot, 'dist', 'page', file));
    else next();
  });
  router.use('/docs', (request, response, next) => {
    if (isPageShell({ method: request.method, url: request.originalUrl }))
      engine().files(request, response, next);
    else next();
  });
  return router;
}

/**
 * Decides whether a request is for a file that every caller may have: the page without its document, which contains nothing of
 * this surface and itself asks for the token (docs/decisions.md#who-may-call).
 */
export function isPageShell({ method, url = '' }: Pick<Request, 'method' | 'url'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const [path = ''] = url.split('?');
  const file = /^\/docs\/(.+)$/.exec(path)?.[1];
  return file === undefined
    ? ['/', '/docs', '/docs/'].includes(path)
    : engineFiles.includes(file) || ownFiles.includes(file);
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
 * Makes the page of swagger-ui-express when a user opens it first: most gateways never show it. Its start-up script is served and replaced by `src/page/start.ts`, which asks for the
 * token before there is a document to show.
 */
function pageEngine(title: string): () => PageEngine {
  let made: PageEngine | undefined;
  return () => {
    if (made) return made;
    const options = {
      customSiteTitle: title,
      customCssUrl: './page.css',
      customJs: './page.js',
      swaggerUrl: './openapi.json',
    };
    const html = ownHead(swaggerUi.generateHTML(undefined, options));
    made = { html, files: Router().use(swaggerUi.serveFiles(undefined, options)) };
    return made;
  };
}

/**
 * Adds the size of a phone, which the page of swagger-ui-express lacks (https://github.com/scottie1984/swagger-ui-express/pull/383), and
 * leaves out the script of a layout that this page does not use.
 */
const ownHead = (html: string): string =>
  html
    .replace('<head>', '<head>\n  <meta name="viewport" content="width=device-width, initial-scale=1">')
    .replace('<script src="./swagger-ui-standalone-preset.js"> </script>', '');
