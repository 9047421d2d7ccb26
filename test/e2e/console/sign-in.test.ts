// The console of a server that asks a stranger for its token, and one whose server goes and comes back.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let browser: Browser;
let server: ManagedServer;
let folder: string;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  folder = temporaryFolder();
  server = await openManagedServer(folder);
});
afterEach(() => server.close());

test('asks for the token, says why one is refused, and keeps it out of every address', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  // On loopback any caller that presents a wrong token is refused.
  await page.route('**/*', (route) => {
    asked.push(route.request().url());
    const headers = route.request().headers();
    return route.continue({ headers: { authorization: 'Bearer none', ...headers } });
  });
  await page.goto(`${server.url}/`);
  const field = page.getByLabel('Token');
  await page.getByRole('alert').getByText('The token is wrong').waitFor();
  await field.fill('wrong-token');
  await field.press('Enter');
  await page.getByRole('alert').getByText('The token is wrong').waitFor();
  expect(await page.getByRole('navigation', { name: 'Agents' }).count()).toBe(0);
  await field.fill('server-token');
  await field.press('Enter');
  await page.getByText('No agents. Launch one:').waitFor();
  expect(asked.filter((url) => url.includes('server-token'))).toEqual([]);
  await page.close();
});

test('says that the server does not answer, and goes on when it does again', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/`);
  await page.getByText('No agents. Launch one:').waitFor();
  await page.context().setOffline(true);
  // The call that waits now was answered before; the next one fails.
  await launchOn(server.host, folder, 'late');
  await page.getByRole('alert').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Agents' }).getByText('late').waitFor();
  await server.ask('POST', '/houmao/agents/late/stop');
  await page.close();
});
