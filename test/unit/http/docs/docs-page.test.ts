import { createRequire } from 'node:module';
import type * as SwaggerUiExpress from 'swagger-ui-express';
import { expect, test } from 'vitest';
import { isPageShell } from '../../../../src/http/docs/docs-page.js';

const swaggerUi = createRequire(import.meta.url)('swagger-ui-express') as typeof SwaggerUiExpress;

test('swagger-ui-express says no size of a phone: with one that does, docs-page.ts can stop adding it', () => {
  const html = swaggerUi.generateHTML(undefined, {});
  expect(html).toContain('<head>');
  expect(html).not.toContain('name="viewport"');
});

test.each([
  ['GET', '/docs/', true],
  ['HEAD', '/docs/page.js?1', true],
  ['GET', '/docs/swagger-ui-bundle.js', true],
  ['GET', '/docs/openapi.json', false],
  ['GET', '/docs/package.json', false],
  ['GET', '/docs/../openapi.json', false],
  ['GET', '/openapi.json', false],
  ['POST', '/docs/', false],
])('%s %s belongs to the page that every caller may have: %s', (method, url, is) => {
  expect(isPageShell({ method, url })).toBe(is);
});
