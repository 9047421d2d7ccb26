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
const wide = { viewport: { width: 1280, height: 800 } };

/** Waits until an operation is open with its head in sight, and not only drawn somewhere. */
const inSight = async (page: Page, operationId: string): Promise<void> => {
  await page.locator(`[id$="-${operationId}"]`).getByRole('button', { name: 'Execute' }).waitFor();
  await page.waitForFunction(
    `(({ top }) => top >= 0 && top < innerHeight / 2)(document.querySelector('.opblock[id$="-${operationId}"]').getBoundingClientRect())`,
  );
};
/** The operation that the contents mark, by its link. */
const present = (page: Page): Promise<string | null> =>
  page.locator('nav [aria-current]').getAttribute('href', { timeout: 5000 });

test(
  'the contents list every operation by its tag, open it where it is in sight, and go back and forward',
  patience,
  async () => {
    const { page, operations, expectQuiet } = await openDocs(browser!, served.gateway.url, wide);
    const contents = page.getByRole('navigation', { name: 'Operations' });
    const links = contents.getByRole('link');
    const ids = await links.evaluateAll((all) =>
      all.map((link) => link.getAttribute('href')!.split('/').at(-1)),
    );
    expect([...ids].sort()).toEqual([...operations].sort());
    expect(await links.first().textContent()).toMatch(/^GET./);
    await contents.getByRole('link', { name: 'Read one turn' }).click();
    await inSight(page, 'getTurn');
    await contents.getByRole('link', { name: 'Add reminders' }).click();
    await inSight(page, 'createReminders');
    await page.goBack();
    await inSight(page, 'getTurn');
    expect(new URL(page.url()).hash).toBe('#/turns/getTurn');
    await page.goForward();
    await inSight(page, 'createReminders');
    expectQuiet();
  },
);

test('the contents mark the operation in sight while one scrolls', patience, async () => {
  const { page, operations } = await openDocs(browser!, served.gateway.url, wide);
  await expect.poll(() => page.locator('.opblock').count()).toBe(operations.length);
  expect(await page.locator('nav [aria-current]').count()).toBe(0);
  for (const operationId of ['listRequests', 'getQueue', 'getRequest']) {
    await page.locator(`.opblock[id$="-${operationId}"]`).evaluate((block) => block.scrollIntoView());
    await expect.poll(() => present(page)).toMatch(new RegExp(`/${operationId}$`));
    expect(await page.locator('nav [aria-current]').count()).toBe(1);
  }
});

test('tags fold and links open by the keyboard alone', patience, async () => {
  const { page } = await openDocs(browser!, served.gateway.url, wide);
  const tag = page.locator('nav details', { has: page.locator('[href$="/getStatus"]') });
  await tag.locator('summary').focus();
  await page.keyboard.press('Enter');
  await tag.getByRole('link').first().waitFor({ state: 'hidden' });
  await page.keyboard.press('Space');
  await tag.getByRole('link').first().waitFor();
  await tag.locator('[href$="/getStatus"]').focus();
  await page.keyboard.press('Enter');
  await inSight(page, 'getStatus');
  // Tab goes on from there.
  expect(await page.evaluate('document.activeElement.closest(".opblock").id')).toMatch(/-getStatus$/);
});

test.each([1280, 390])(
  'a link from elsewhere shows its operation where the page is %i wide',
  patience,
  async (width) => {
    const page = await browser!.newPage({ viewport: { width, height: 800 } });
    for (const [tag, operationId] of [
      ['turns', 'streamTurn'],
      ['reminders', 'deleteReminder'],
    ]) {
      await page.goto('about:blank');
      await page.goto(`${served.gateway.url}/docs/#/${tag}/${operationId}`);
      await inSight(page, operationId!);
      // Nothing stands over its head.
      await page.waitForFunction(
        `((head) => { const { left, top, height } = head.getBoundingClientRect(); return head.contains(document.elementFromPoint(left + 20, top + height / 2)); })(document.querySelector('.opblock[id$="-${operationId}"] .opblock-summary'))`,
      );
    }
    expect(await page.evaluate('history.length')).toBe(4);
  },
);

test(
  'in a narrow window a button opens the contents, and Escape or a link closes them',
  patience,
  async () => {
    const { page } = await openDocs(browser!, served.gateway.url, { viewport: { width: 390, height: 800 } });
    const button = page.getByRole('button', { name: 'Contents' });
    const contents = page.getByRole('navigation', { name: 'Operations' });
    expect([await button.getAttribute('aria-expanded'), await contents.isVisible()]).toEqual([
      'false',
      false,
    ]);
    await button.press('Enter');
    await contents.waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await contents.getByRole('link').first().focus();
    await page.keyboard.press('Escape');
    await contents.waitFor({ state: 'hidden' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await button.click();
    await contents.getByRole('link', { name: 'Read one turn' }).click();
    await contents.waitFor({ state: 'hidden' });
    await inSight(page, 'getTurn');
  },
);

test('the head of an open operation closes it, its path as well', patience, async () => {
  const { page, open } = await openDocs(browser!, served.gateway.url, wide);
  const block = await open('getStatus');
  await block.locator('.opblock-summary-path').click();
  await block.getByRole('button', { name: 'Execute' }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).hash).not.toContain('getStatus');
});
