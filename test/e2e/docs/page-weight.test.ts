import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';
import { openDocs } from '../../support/docs-page.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The bytes that a page brought over the connection, by the name of each file. */
const broughtBy = async (page: Page): Promise<ReadonlyMap<string, number>> =>
  new Map(
    await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry) => 'transferSize' in entry)
        .map((entry): [string, number] => [entry.name, (entry as PerformanceResourceTiming).transferSize]),
    ),
  );
const sum = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((all, one) => all + one, 0);

test('the page is less than 600 kB on the way, and a second visit brings little more than its document', async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  const first = await broughtBy(page);
  expect([...first.keys()].map((name) => new URL(name).pathname)).toEqual(
    expect.arrayContaining(['/docs/', '/docs/openapi.json', '/docs/swagger-ui-bundle.js']),
  );
  expect(sum(first)).toBeGreaterThan(100_000);
  expect(sum(first)).toBeLessThan(600_000);
  await page.reload();
  await page.locator('.opblock button').first().waitFor();
  const second = await broughtBy(page);
  const [document = 0] = [...second]
    .filter(([name]) => name.endsWith('/docs/openapi.json'))
    .map(([, size]) => size);
  expect(document).toBeGreaterThan(10_000);
  expect(sum(second) - document).toBeLessThan(10_000);
});

test('a document is compressed for a program that takes that, and plain for another one', async () => {
  const ask = async (encoding: string) => {
    const response = await fetch(`${served.gateway.url}/openapi.json`, {
      headers: { 'Accept-Encoding': encoding },
    });
    return [
      response.headers.get('content-encoding'),
      response.headers.get('cache-control'),
      await response.json(),
    ];
  };
  const [plain, compressed] = [await ask('identity'), await ask('gzip')];
  expect([plain[0], compressed[0]]).toEqual([null, 'gzip']);
  expect([plain[1], compressed[1]]).toEqual(['no-store', 'no-store']);
  expect(compressed[2]).toEqual(plain[2]);
});
