import swaggerUi from 'swagger-ui-express';
import { expect, test } from 'vitest';
import { isPageShell } from '../../../../src/http/docs/docs-page.js';

test('the page of swagger-ui-express lacks the size of a phone and has a script that is not needed: docs-page.ts changes both', () => {
  const html = swaggerUi.generateHTML(undefined, {});
  expect(html).toContain('<head>');
  expect(html).not.toContain('name="viewport"');
  expect(html).toContain('<script src="./swagger-ui-standalone-preset.js"> </script>');
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
