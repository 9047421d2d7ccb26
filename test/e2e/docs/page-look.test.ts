import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';
import { faintTexts } from '../../support/contrast.js';
import { openDocs } from '../../support/docs-page.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const patience = { timeout: 120_000 };

const execute = async (operation: Locator): Promise<void> => {
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table tbody .response-col_status').first().waitFor();
};

test('no padlock is shown, and errors that all operations share are listed once', patience, async () => {
  const { page, open } = await openDocs(browser!, served.gateway.url);
  const operation = await open('submitRequest');
  const statuses = await operation
    .locator('.responses-table:not(.live-responses-table) tbody .response-col_status')
    .allTextContents();
  expect(statuses.map((status) => status.trim().slice(0, 3))).toEqual(['202', '409', '412', '422', '503']);
  expect(await page.locator('.authorization__btn, .btn.authorize').count()).toBe(0);
  const shared = page.locator('.catalogue', { hasText: 'Errors that every operation can answer' });
  await shared.locator('summary').click();
  expect(await shared.locator('tbody td:first-child').allTextContents()).toEqual([
    '401',
    '403',
    '408',
    '413',
    '415',
    '421',
    '431',
    '500',
  ]);
});

test('the catalogues lead to operations, and texts do', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  const errors = page.locator('.catalogue', { hasText: 'error codes' });
  await errors.locator('summary').click();
  await errors
    .locator('tr', { hasText: 'reminder_delivering' })
    .getByRole('link', { name: 'updateReminder' })
    .click();
  await page.locator('[id$="-updateReminder"]').getByRole('button', { name: 'Execute' }).waitFor();
  await page.getByRole('link', { name: 'POST /v1/requests' }).click();
  await page.locator('[id$="-submitRequest"]').getByRole('button', { name: 'Execute' }).waitFor();
  // It is brought into sight from the beginning of the page, where the link is.
  await page.waitForFunction(
    `(({ top }) => top >= 0 && top < innerHeight)(document.querySelector('[id$="-submitRequest"]').getBoundingClientRect())`,
  );
  const accepted = page.locator('[id$="-submitRequest"] tr.response', { hasText: '202' });
  expect(await page.getByText('No links').filter({ visible: true }).count()).toBe(0);
  await accepted.getByRole('link', { name: 'GET /v1/requests/{request_id}' }).first().click();
  await page.locator('[id$="-getRequest"]').getByRole('button', { name: 'Execute' }).waitFor();
  expect(
    await page.locator('.catalogue', { hasText: 'kinds of events' }).locator('tbody tr').count(),
  ).toBeGreaterThan(30);
});

test('each operation shows its call in every language', patience, async () => {
  const { open } = await openDocs(browser!, served.gateway.url);
  const samples = (await open('listRequests')).locator('.samples');
  const shown = async (language: string): Promise<string | null> => {
    await samples.getByRole('tab', { name: language }).click();
    return samples.locator('.sample').textContent();
  };
  expect(await shown('Python')).toContain(`"${served.gateway.url}/v1/requests?limit=50"`);
  expect(await shown('TypeScript')).toContain('client.listRequests({\n  query: { limit: 50 },\n})');
  expect(await shown('curl')).toBe(`curl -s '${served.gateway.url}/v1/requests?limit=50'`);
});

test('the samples send what was filled in', patience, async () => {
  const { open } = await openDocs(browser!, served.gateway.url);
  const list = await open('listRequests');
  const sample = (operation: Locator) => () => operation.locator('.samples .sample').textContent();
  await list.locator('tr[data-param-name="limit"] input').fill('7');
  await list.locator('tr[data-param-name="state"] select').selectOption('failed');
  await expect.poll(sample(list)).toContain("/v1/requests?state=failed&limit=7'");
  const submit = await open('submitRequest');
  await submit.locator('tr[data-param-name="Idempotency-Key"] input').fill('mine');
  const body = submit.locator('.body-param textarea');
  await body.fill('{"kind": "submit_prompt", "payload": {"prompt": "mine"}}');
  await expect.poll(sample(submit)).toContain(`-d '{"kind":"submit_prompt","payload":{"prompt":"mine"}}'`);
  expect(await sample(submit)()).toContain("-H 'Idempotency-Key: mine'");
  await body.fill('{"kind": ');
  await expect.poll(sample(submit)).toContain('is not JSON');
});

/** An operation that reads, with headers in its answer, one with a body, and one that cannot be done. */
const opened = ['getStatus', 'createReminders', 'updateQueue', 'notePrompt', 'deleteReminder'];

test.each(['dark', 'light'] as const)(
  'every text can be read where it is %s',
  patience,
  async (colorScheme) => {
    const { page, open } = await openDocs(browser!, served.gateway.url, { colorScheme });
    for (const summary of await page.locator('.catalogue > summary').all()) await summary.click();
    for (const each of opened) await execute(await open(each));
    expect(await page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0);
    expect(await page.locator('.live-responses-table .headerline').count()).toBeGreaterThan(0);
    // A part that has just been drawn fades in.
    await expect.poll(() => faintTexts(page, 4.5)).toEqual([]);
  },
);

test('an opened operation is no wider than a phone', patience, async () => {
  const { page, open } = await openDocs(browser!, served.gateway.url, {
    viewport: { width: 390, height: 800 },
  });
  const widths: Record<string, number> = {};
  for (const each of opened) {
    const operation = await open(each);
    await execute(operation);
    for (const schema of await operation.getByText('Schema', { exact: true }).all()) await schema.click();
    widths[each] = await page.evaluate(() => document.documentElement.scrollWidth);
    const sample = operation.locator('.samples .sample');
    expect(await sample.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  }
  expect(await page.getByText('No links').filter({ visible: true }).count()).toBe(0);
  expect(widths).toEqual(Object.fromEntries(opened.map((each) => [each, 390])));
});

test('the field of the search shows all of its hint on a phone', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url, { viewport: { width: 390, height: 800 } });
  const room = await page.getByRole('combobox', { name: 'Search' }).evaluate((field: HTMLInputElement) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const pen = document.createElement('canvas').getContext('2d')!;
    pen.font = font;
    const { width } = pen.measureText(field.placeholder);
    return field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - width;
  });
  expect(room).toBeGreaterThan(0);
});

test('each operation in the list has its method beside its path on a phone', patience, async () => {
  const { page, operations } = await openDocs(browser!, served.gateway.url, {
    viewport: { width: 390, height: 800 },
  });
  const beside = await page.locator('.opblock-summary-control').evaluateAll((rows) =>
    rows.map((row) => {
      const [method, path] = ['.opblock-summary-method', '.opblock-summary-path'].map((part) =>
        row.querySelector(part)!.getBoundingClientRect(),
      );
      return path!.left >= method!.right && path!.top < method!.bottom;
    }),
  );
  expect(beside).toEqual(operations.map(() => true));
});

test.each([390, 1280])('the catalogues break no code where the page is %i wide', patience, async (width) => {
  const { page } = await openDocs(browser!, served.gateway.url, { viewport: { width, height: 800 } });
  for (const summary of await page.locator('.catalogue > summary').all()) await summary.click();
  const lines = await page
    .locator('.catalogue code, .catalogue td a')
    .evaluateAll((all) => all.map((each) => each.getClientRects().length));
  expect(lines.length).toBeGreaterThan(100);
  expect(new Set(lines)).toEqual(new Set([1]));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
});
