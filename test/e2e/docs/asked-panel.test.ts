import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());
let server: ServerProcess | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

/** The answers that the agent was given, in their order. */
const answers = (): string[] => agents.ledger().flatMap(({ answer }) => answer ?? []);

const asksTwice = 'go [[tool=Bash {"command":"ls"}]] [[tool=Bash {"command":"rm -r build"}]]';

test('an open page shows what the agent asks as soon as it asks, and a button answers that question', async () => {
  await agents.launch();
  await agents.ready();
  const page = await browser!.newPage();
  await page.goto(`${agents.agent.url}/docs/`);
  await page.locator('.opblock button').first().waitFor();
  const question = page.locator('.asked');
  expect(await question.count()).toBe(0);
  await agents.queued(asksTwice);
  await question.waitFor();
  const first = (await agents.ask('GET', '/v1/control/tui/dialog')).body.dialog;
  expect(await question.locator('pre').textContent()).toBe(first.text);
  expect(await question.getByRole('button').count()).toBe(first.choices.length);
  await question.getByRole('button', { name: '1. Yes', exact: true }).click();
  await question.getByText('rm -r build').waitFor();
  await question.getByRole('button', { name: '4. No', exact: true }).click();
  await question.waitFor({ state: 'detached' });
  expect(answers()).toEqual(['Yes', 'No']);
});

test('the page of a server shows it by the agent that asks, and without a gateway offers no answer', async () => {
  await agents.launch();
  await agents.ready();
  server = await startManagedServer(managedHost(agents.folder), agents.folder, {
    environment: { TMUX_TMPDIR: process.env.TMUX_TMPDIR },
  });
  const page = await browser!.newPage();
  await page.goto(`${server.url}/docs/`);
  await agents.queued(asksTwice);
  const question = page.locator('.asked');
  await question.getByRole('heading', { name: 'alpha' }).waitFor();
  await question.getByRole('button', { name: '1. Yes', exact: true }).click();
  await question.getByText('rm -r build').waitFor();
  expect(answers()).toEqual(['Yes']);
  await agents.run('agents', 'gateway', 'detach', 'alpha');
  await question.locator('p').waitFor();
  expect(await question.getByRole('button').count()).toBe(0);
  expect(await question.locator('pre').textContent()).toContain('rm -r build');
});
