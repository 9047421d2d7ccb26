import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../generated/gateway/server/routes.js';
import { launchBrowser } from '../../support/browser.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

let session: TestSession;
let gateway: GatewayProcess;
let browser: Browser;
let page: Page;
const complaints: string[] = [];
const requested: string[] = [];

beforeAll(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
  session.remove();
});

test('a reader opens the page, tries an operation out and sees the answer', async () => {
  await page.goto(`${gateway.url}/docs/`);
  await page.getByText('Houmao agent gateway').first().waitFor();
  await page.locator('#operations-requests-submitRequest .opblock-summary-control').click();
  const operation = page.locator('#operations-requests-submitRequest');
  await operation
    .locator('textarea.body-param__text')
    .fill('{"kind":"submit_prompt","payload":{"prompt":"from the docs page"}}');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table tbody .response-col_status').first();
  await answer.waitFor();
  expect(await answer.textContent()).toContain('202');
  expect(await operation.locator('.live-responses-table').first().textContent()).toContain('gwreq-');
  expect(await page.locator('.opblock').count()).toBe(Object.keys(routes).length);
});

test('the page says what went wrong when the body breaks a rule', async () => {
  const operation = page.locator('#operations-requests-submitRequest');
  await operation
    .locator('textarea.body-param__text')
    .fill('{"kind":"submit_prompt","payload":{"prompt":"   "}}');
  const refused = page.waitForResponse(
    (response) => response.url().endsWith('/v1/requests') && response.status() === 422,
  );
  await operation.getByRole('button', { name: 'Execute' }).click();
  await refused;
  await operation.getByText('must not be empty').first().waitFor();
});

test('nothing is asked of another host, and the console stays clean', () => {
  expect(requested.filter((url) => !url.startsWith(gateway.url) && !url.startsWith('data:'))).toEqual([]);
  // The browser itself reports every 4xx answer; those of the test above are wanted.
  expect(complaints.filter((text) => !/status of 422/.test(text))).toEqual([]);
});
