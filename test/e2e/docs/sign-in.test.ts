import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const token = (): string => readFileSync(served.session.paths.accessToken, 'utf8').trim();

/** A page whose browser is refused without the token: on loopback any caller that presents a wrong token is. */
async function asStranger(): Promise<{ page: Page; asked: string[] }> {
  const page = await browser!.newPage();
  const asked: string[] = [];
  await page.route('**/*', (route) => {
    asked.push(route.request().url());
    const headers = route.request().headers();
    return route.continue({ headers: { authorization: 'Bearer none', ...headers } });
  });
  await page.goto(`${served.gateway.url}/docs/`);
  return { page, asked };
}

test('a person gives the token once, and what is tried out is sent with it', async () => {
  const { page, asked } = await asStranger();
  const field = page.getByLabel('Token');
  const reason = page.getByRole('alert');
  await reason.getByText('The token is wrong').waitFor();
  await field.fill('wrong-token');
  await page.getByRole('button', { name: 'Open the page' }).click();
  // Asked for once more.
  await expect.poll(() => field.inputValue()).toBe('');
  for (const [wrong, said] of [
    ['  ', 'Enter the token.'],
    ['two words', 'A token has only letters, digits, - and _.'],
  ] as const) {
    await field.fill(wrong);
    await field.press('Enter');
    await expect.poll(() => reason.textContent()).toBe(said);
  }
  expect(await page.locator('.opblock').count()).toBe(0);
  await field.fill(token());
  await field.press('Enter');
  const block = page.locator('.opblock[id$="-getStatus"]');
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = block.locator('.live-responses-table tbody .response-col_status').first();
  await status.waitFor();
  expect(await status.textContent()).toContain('200');
  expect(asked.filter((url) => url.includes(token()))).toEqual([]);

  // It can be taken back.
  await page.locator('button.authorize').first().click();
  await page.getByRole('button', { name: 'Remove authorization' }).click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
  await block.getByRole('button', { name: 'Execute' }).click();
  await expect.poll(() => status.textContent()).toContain('401');
});

test('the page forgets it when it is loaded again', async () => {
  const { page } = await asStranger();
  await page.getByLabel('Token').fill(token());
  await page.getByRole('button', { name: 'Open the page' }).click();
  await page.locator('.opblock button').first().waitFor();
  await page.reload();
  await page.getByLabel('Token').waitFor();
  expect(await page.locator('.opblock').count()).toBe(0);
});
