import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../generated/gateway/server/routes.js';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';
import { type DocsPage, openDocs } from '../../support/docs-page.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const openPage = (): Promise<DocsPage> => openDocs(browser!, served.gateway.url);
const send = async (operation: Locator, body: string): Promise<void> => {
  await operation.locator('textarea.body-param__text').fill(body);
  await operation.getByRole('button', { name: 'Execute' }).click();
};

test('a reader opens the page, tries an operation out and sees the answer', async () => {
  const { page, open, expectQuiet } = await openPage();
  const submission = await open('submitRequest');
  await send(submission, '{"kind":"submit_prompt","payload":{"prompt":"from the docs page"}}');
  const answer = submission.locator('.live-responses-table tbody .response-col_status').first();
  await answer.waitFor();
  expect(await answer.textContent()).toContain('202');
  expect(await submission.locator('.live-responses-table').first().textContent()).toContain('gwreq-');
  expect(await page.locator('.opblock').count()).toBe(Object.keys(routes).length);
  expectQuiet();
});

test('the page says what went wrong when the body breaks a rule', async () => {
  const { open, expectQuiet } = await openPage();
  const submission = await open('submitRequest');
  await send(submission, '{"kind":"submit_prompt","payload":{"prompt":"   "}}');
  await submission.getByText('must not be empty').first().waitFor();
  const answer = submission.locator('.live-responses-table tbody .response-col_status').first();
  expect(await answer.textContent()).toContain('422');
  // The browser itself reports every 4xx answer.
  expectQuiet(/status of 422/);
});
