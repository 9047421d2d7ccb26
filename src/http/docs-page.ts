import { createRequire } from 'node:module';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type swaggerUiExpress from 'swagger-ui-express';

/** Swagger UI at `/docs/`, to which `/` leads, and the document at `/openapi.json`. Everything comes from this server, nothing from elsewhere. */
export function docsPage(document: () => string, title: string): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const options = {
    customSiteTitle: title,
    customCss: '.swagger-ui .topbar { display: none }',
    swaggerOptions: {
      url: '/openapi.json',
      displayRequestDuration: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
      docExpansion: 'list',
    },
  };
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
  let page: Router | undefined;
  router.use('/docs', (request, response, next) => {
    page ??= swaggerUi(options);
    page(request, response, next);
  });
  return router;
}

/** Loaded when somebody opens the page: most gateways never show it, and it costs a start and memory. */
function swaggerUi(options: object): Router {
  // Required: a program whose compiled code is cached has no module that could import it.
  const ui = createRequire(import.meta.url)('swagger-ui-express') as typeof swaggerUiExpress;
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/', ui.setup(undefined, options));
  router.use('/', onlyFiles, ui.serveFiles(undefined, options));
  return router;
}

/** What the page loads. The library would answer every other path with the page again, and serve its whole package. */
const files: ReadonlySet<string> = new Set([
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui-init.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
]);
const onlyFiles: RequestHandler = (request, _response, next) =>
  files.has(request.path) && (request.method === 'GET' || request.method === 'HEAD')
    ? next()
    : next('router');
