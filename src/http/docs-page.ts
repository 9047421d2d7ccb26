import { type Request, type Response, Router } from 'express';
import swaggerUi from 'swagger-ui-express';

/** Swagger UI at `/docs` and the document at `/openapi.json`. Everything comes from this server, nothing from elsewhere. */
export function docsPage(document: object, title: string): Router {
  const router = Router();
  const options = {
    customSiteTitle: title,
    customCss: '.swagger-ui .topbar { display: none }',
    swaggerOptions: { url: '/openapi.json', displayRequestDuration: true, tryItOutEnabled: true, defaultModelsExpandDepth: 0, docExpansion: 'list' },
  };
  const text = JSON.stringify(document);
  router.get('/openapi.json', (_request: Request, response: Response) => {
    response.type('application/json').send(text);
  });
  router.use('/docs', swaggerUi.serveFiles(undefined, options), swaggerUi.setup(undefined, options));
  return router;
}
