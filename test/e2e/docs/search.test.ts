import type { Browser, Locator, Page } from 'playwright-core';
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

/** The field of the search, and its results. */
const searchOf = (page: Page): { field: Locator; options: Locator; chosen: Locator } => ({
  field: page.getByRole('combobox', { name: 'Search' }),
  options: page.getByRole('option'),
  chosen: page.getByRole('option', { selected: true }),
});

test(
  'a description and an answer field are found, each with its place and a marked excerpt',
  patience,
  async () => {
    const { page, expectQuiet } = await openDocs(browser!, served.gateway.url);
    const { field, options } = searchOf(page);
    await field.fill('survives a crash');
    const described = options.filter({ hasText: '/v1/requests' }).first();
    await described.locator('.found-place', { hasText: 'description' }).waitFor();
    expect(await described.locator('.method').textContent()).toBe('POST');
    expect(await described.locator('mark').allTextContents()).toEqual(['survives', 'crash']);
    await field.fill('queue_depth');
    const answered = options.filter({ hasText: '/v1/status' });
    await answered.locator('.found-place', { hasText: 'answer field' }).waitFor();
    expect(await answered.locator('mark').first().textContent()).toBe('queue_depth');
    expectQuiet();
  },
);

test(
  'the keyboard is enough: "/" leads to the field, arrows choose, Enter opens, Escape closes',
  patience,
  async () => {
    const { page } = await openDocs(browser!, served.gateway.url);
    const { field, options, chosen } = searchOf(page);
    await page.keyboard.press('/');
    await page.keyboard.type('reminder');
    await options.nth(2).waitFor();
    const idOf = (option: Locator): Promise<string | null> => option.getAttribute('id');
    const active = (): Promise<string | null> => field.getAttribute('aria-activedescendant');
    expect(await field.inputValue()).toBe('reminder');
    expect([await field.getAttribute('aria-expanded'), await active()]).toEqual([
      'true',
      await idOf(options.first()),
    ]);
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toBe(await idOf(options.last()));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toBe(await idOf(options.nth(1)));
    expect(await chosen.count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => options.filter({ visible: true }).count()).toBe(0);
    expect(await field.inputValue()).toBe('reminder');
    await page.keyboard.press('ArrowDown');
    await chosen.waitFor();
    await field.fill('Read one request');
    await expect.poll(() => chosen.locator('code').textContent()).toBe('/v1/requests/{request_id}');
    await page.keyboard.press('Enter');
    const block = page.locator('[id$="-getRequest"]');
    await block.getByRole('button', { name: 'Execute' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/requests/getRequest');
    await page.waitForFunction(
      `(({ top }) => top >= 0 && top < innerHeight)(document.querySelector('[id$="-getRequest"]').getBoundingClientRect())`,
    );
    // In a field "/" is a letter.
    await block.locator('tr[data-param-name="request_id"] input').fill('');
    await block.locator('tr[data-param-name="request_id"] input').press('/');
    expect(await block.locator('tr[data-param-name="request_id"] input').inputValue()).toBe('/');
  },
);

test('an error code and a kind of event lead to their rows, and those to operations', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  const { field, options } = searchOf(page);
  await field.fill('unknown_request');
  await options.first().click();
  const row = page.locator('#row-unknown_request');
  await row.getByText('The gateway has no request of that name.').waitFor();
  await row.getByRole('link', { name: 'cancelRequest' }).click();
  await page.locator('[id$="-cancelRequest"]').getByRole('button', { name: 'Execute' }).waitFor();
  await field.fill('turn_ended');
  await field.press('Enter');
  await page.locator('#row-turn_ended').getByText('A turn is over.').waitFor();
});

test('a search that finds nothing says so, and what to try', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url);
  const { field, options } = searchOf(page);
  await field.fill('qwyjibo');
  await page.getByRole('status').getByText('No result for “qwyjibo”. Try fewer words').waitFor();
  expect([await options.count(), await field.getAttribute('aria-expanded')]).toEqual([0, 'false']);
  await field.press('Escape');
  expect(await field.inputValue()).toBe('');
});
