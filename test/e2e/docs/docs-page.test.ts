import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../generated/gateway/server/routes.js';
import { serve } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';

const served = serve();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

interface OpenPage {
  /** The first operation, opened and ready to be tried out. */
  submission: Locator;
  operations(): Promise<number>;
  /** Nothing was asked of another host, and the console has no complaints but these. */
  expectQuiet(but?: RegExp): void;
}

async function openPage(): Promise<OpenPage> {
  const { url } = served.gateway;
  const page = await browser!.newPage({ viewport: { width: 1400, height: 1000 } });
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${url}/docs/`);
  await page.getByText('Houmao agent gateway').first().waitFor();
  const submission = page.locator('#operations-requests-submitRequest');
  await submission.locator('.opblock-summary-control').click();
  return {
    submission,
    operations: () => page.locator('.opblock').count(),
    expectQuiet: (but) => {
      expect(requested.filter((each) => !each.startsWith(url) && !each.startsWith('data:'))).toEqual([]);
      expect(complaints.filter((text) => !but?.test(text))).toEqual([]);
    },
  };
}
const send = async (operation: Locator, body: string): Promise<void> => {
  await operation.locator('textarea.body-param__text').fill(body);
  await operation.getByRole('button', { name: 'Execute' }).click();
};

test('a reader opens the page, tries an operation out and sees the answer', async () => {
  const { submission, operations, expectQuiet } = await openPage();
  await send(submission, '{"kind":"submit_prompt","payload":{"prompt":"from the docs page"}}');
  const answer = submission.locator('.live-responses-table tbody .response-col_status').first();
  await answer.waitFor();
  expect(await answer.textContent()).toContain('202');
  expect(await submission.locator('.live-responses-table').first().textContent()).toContain('gwreq-');
  expect(await operations()).toBe(Object.keys(routes).length);
  expectQuiet();
});

test('the page says what went wrong when the body breaks a rule', async () => {
  const { submission, expectQuiet } = await openPage();
  await send(submission, '{"kind":"submit_prompt","payload":{"prompt":"   "}}');
  await submission.getByText('must not be empty').first().waitFor();
  const answer = submission.locator('.live-responses-table tbody .response-col_status').first();
  expect(await answer.textContent()).toContain('422');
  // The browser itself reports every 4xx answer.
  expectQuiet(/status of 422/);
});
