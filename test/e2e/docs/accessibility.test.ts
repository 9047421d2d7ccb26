import { createRequire } from 'node:module';
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

const patience = { timeout: 120_000 };
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The rules of axe-core that a page breaks, each with the places where. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  const found = (await page.evaluate(
    'axe.run(document).then(({ violations }) => violations)',
  )) as Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

test('the first thing that Tab reaches leads past everything to the operations', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the operations' });
  expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
  expect(await skip.evaluate((link) => link.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.activeElement.id === 'operations'`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("main")?.id')).toBe('operations');
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing to complain of in the list of operations and the results where it is %s',
  patience,
  async (colorScheme) => {
    const { page } = await openDocs(browser!, served.gateway.url, { colorScheme });
    await page.getByRole('combobox', { name: 'Search' }).fill('reminder');
    await page.getByRole('option').first().waitFor();
    expect(await violations(page)).toEqual([]);
  },
);

/** Swagger UI gives selects, the field of a body and its tables no names (https://github.com/swagger-api/swagger-ui/issues/10698). */
const ofSwaggerUi = /^(label|select-name|landmark-unique): /;

test(
  'axe complains in an opened operation only of what Swagger UI lacks; the arrows choose the language of its sample',
  async () => {
    const { page, open } = await openDocs(browser!, served.gateway.url);
    const operation = await open('submitRequest');
    const tab = (name: string) => operation.getByRole('tab', { name });
    await tab('curl').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await tab('Python').evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await tab('TypeScript').getAttribute('aria-selected')).toBe('true');
    expect(await operation.getByRole('tabpanel', { name: 'TypeScript' }).textContent()).toContain('import');
    expect((await violations(page)).filter((one) => !ofSwaggerUi.test(one))).toEqual([]);
  },
  patience.timeout,
);
