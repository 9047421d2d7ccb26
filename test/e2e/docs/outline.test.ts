import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';
import { openDocs } from '../../support/docs-page.js';
import { call } from '../../support/http.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

test('without JavaScript the page has each operation with its path and summary, and links lead to them', async () => {
  const page = await browser!.newPage({ javaScriptEnabled: false });
  await page.goto(`${served.gateway.url}/docs/`);
  const { body: document } = await call(served.gateway.url, 'GET', '/openapi.json');
  const expected = Object.entries<Record<string, { summary: string }>>(document.paths).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => [method.toUpperCase(), path, summary].join(' ')),
  );
  const shown = await page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) =>
      Array.from(block.querySelectorAll('span, [class$="description"]'))
        .map((part) => part.textContent)
        .join(' '),
    ),
  );
  expect(shown.sort()).toEqual(expected.sort());
  await page.getByText('need JavaScript').waitFor();
  await page.getByRole('link', { name: 'Archive messages' }).click();
  const block = page.locator('.opblock', { hasText: '/v1/mail/archive' });
  expect((await block.boundingBox())!.y).toBeGreaterThanOrEqual(0);
  expect((await block.boundingBox())!.y).toBeLessThan(page.viewportSize()!.height);
});

test('Swagger UI stands in its place as soon as it is there', async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  expect(await page.locator('.outline').count()).toBe(0);
  expect(await page.locator('nav#contents').count()).toBe(1);
});

test('the introduction leads to the workflows of the surface, without JavaScript and with it', async () => {
  const { body: document } = await call(served.gateway.url, 'GET', '/openapi.json');
  const names: string[] = document.info['x-houmao-workflows'];
  expect(names).toHaveLength(4);
  const withoutScript = await browser!.newPage({ javaScriptEnabled: false });
  await withoutScript.goto(`${served.gateway.url}/docs/`);
  for (const page of [withoutScript, (await openDocs(browser!, served.gateway.url)).page])
    for (const name of names) {
      const link = page.getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toBe(`/openapi/workflows/${name}.yaml`);
    }
});
