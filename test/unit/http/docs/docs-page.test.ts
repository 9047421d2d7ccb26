import swaggerUi from 'swagger-ui-express';
import { expect, test } from 'vitest';
import { isPageShell } from '../../../../src/http/docs/docs-page.js';

test('the page of swagger-ui-express lacks the size of a phone and waits for its scripts: docs-page.ts changes both', () => {
  const html = swaggerUi.generateHTML(undefined, {});
  expect(html).toContain('<head>');
  expect(html).not.toContain('name="viewport"');
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui-init.js'])
    expect(html).toContain(`<script src="./${file}"> </script>`);
});

test.each([
  ['GET', '/docs/', true],
  ['HEAD', '/docs/page.js?1', true],
  ['GET', '/docs/swagger-ui-bundle.js', true],
  ['GET', '/llms.txt', true],
  ['GET', '/openapi/requests.json', false],
  ['GET', '/docs/openapi.json', false],
  ['GET', '/docs/package.json', false],
  ['GET', '/docs/../openapi.json', false],
  ['GET', '/openapi.json', false],
  ['POST', '/docs/', false],
])('%s %s belongs to the page that every caller may have: %s', (method, url, is) => {
  expect(isPageShell({ method, url })).toBe(is);
});
