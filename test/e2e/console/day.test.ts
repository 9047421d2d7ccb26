// A day's work in the console, in a browser, on the two stand-ins of the demo: one headless, one in a terminal.
import type { Schemas } from '@houmao/sdk';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { faintTexts } from '../../support/contrast.js';
import { call } from '../../support/http.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDemo } from '../demo/demo-under-test.js';

const { server } = await startDemo(temporaryFolder());
let browser: Browser;
let page: Page;
const complaints: string[] = [];
const requested: string[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${server}/`);
  await agent('demo').waitFor();
});
afterAll(() => browser.close());

const agent = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Agents' }).getByRole('link').filter({ hasText: name });
const opened = (): Locator => page.getByRole('article');
const room = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Parts of the agent' }).getByRole('link', { name });
const open = async (name: string, of: string): Promise<void> => {
  await agent(name).click();
  await room(of).click();
};
/** Writes a prompt and presses Enter. */
const prompt = async (text: string): Promise<void> => {
  const box = page.getByLabel('Prompt', { exact: true });
  await box.fill(text);
  await page.keyboard.press('Enter');
  await expect.poll(() => box.inputValue()).toBe('');
  await opened().getByText('Queued as').waitFor();
};
const stateOf = (name: string): Promise<string | null> => agent(name).locator('.state').textContent();
const becomes = (name: string, state: string): Promise<void> => expect.poll(() => stateOf(name)).toBe(state);

test('a prompt is queued, its answer grows while it is written, and what waits can be taken back', async () => {
  await open('demo', 'Work');
  await prompt('[[drip=300]][[words=2000]] Count');
  await becomes('demo', 'working');
  const answer = page.getByRole('region', { name: 'Turn' }).locator('.text').last();
  const length = async (): Promise<number> => ((await answer.textContent()) ?? '').length;
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before);
  await page.getByRole('heading', { name: /^Working/ }).waitFor();
  await prompt('second');
  await prompt('third');
  const queue = page.getByRole('region', { name: 'Queue' });
  await expect.poll(() => queue.locator('.prompt').allTextContents()).toEqual(['second', 'third']);
  await expect.poll(() => agent('demo').locator('.queue').textContent()).toBe('2 waiting');
  await queue
    .getByRole('listitem')
    .filter({ hasText: 'second' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await expect.poll(() => queue.locator('.prompt').allTextContents()).toEqual(['third']);
  await opened().getByRole('button', { name: 'Interrupt' }).click();
  await expect.poll(() => agent('demo').locator('.latest').textContent()).toMatch(/You said: third/);
  const { requests } = (await call(server, 'GET', '/houmao/agents/demo/gateway/requests')).body;
  const prompts = requests.filter((one: Schemas['RequestRecord']) => one.request_kind === 'submit_prompt');
  const states = prompts.slice(0, 3).map(({ state }: Schemas['RequestRecord']) => state);
  expect(states).toEqual(['completed', 'cancelled', 'failed']);
});

test('a paused queue starts nothing until it is resumed', async () => {
  await open('demo', 'Work');
  await opened().getByRole('button', { name: 'Pause the queue' }).click();
  await opened().getByRole('button', { name: 'Resume the queue' }).waitFor();
  await prompt('later');
  await expect.poll(() => agent('demo').locator('.queue').textContent()).toBe('1 waiting, paused');
  await opened().getByRole('button', { name: 'Resume the queue' }).click();
  await expect.poll(() => agent('demo').locator('.latest').textContent()).toMatch(/You said: later/);
});

test('an agent that asks a person comes first, and is answered by a button', async () => {
  await open('reviewer', 'Work');
  await prompt('[[tool=Bash {"command":"rm -rf build"}]] Clean up');
  await becomes('reviewer', 'needs you');
  await expect.poll(() => page.title()).toBe('(1) Houmao');
  await expect.poll(() => page.locator('.agents .state').first().textContent()).toBe('needs you');
  await open('demo', 'Work');
  await page.getByRole('heading', { level: 2 }).click();
  await page.keyboard.press('n');
  const question = page.getByRole('region', { name: 'Question to you' });
  expect(await question.locator('pre').textContent()).toContain('rm -rf build');
  const yes = question.getByRole('button', { name: '1. Yes', exact: true });
  await yes.waitFor();
  const picture = process.env.HOUMAO_PICTURE;
  if (picture) await page.screenshot({ path: picture, clip: { x: 0, y: 0, width: 1200, height: 640 } });
  await yes.click();
  await becomes('reviewer', 'ready');
  await expect.poll(() => page.title()).toBe('Houmao');
  await expect.poll(() => agent('reviewer').locator('.latest').textContent()).toMatch(/You said: Clean up/);
});

test('the terminal is live, takes keys when one asks for it, and is never typed into over a draft', async () => {
  await open('reviewer', 'Terminal');
  const terminal = page.getByRole('region', { name: 'Terminal' });
  const text = (): Promise<string> => terminal.locator('.xterm-accessibility').innerText();
  await expect.poll(text).toContain('Clean up');
  const screen = async () => (await call(server, 'GET', '/houmao/agents/reviewer/gateway/tui/screen')).body;
  const before = (await screen()).text;
  await terminal.locator('.xterm').click();
  await page.keyboard.type('1234');
  expect((await screen()).text).toBe(before);
  await terminal.getByRole('button', { name: 'Type into it' }).click();
  await terminal.getByText('Your keys go to the agent').waitFor();
  await page.keyboard.type('my draft');
  await expect.poll(text).toContain('my draft');
  await page.keyboard.press('Control+]');
  await terminal.getByText('Read only.').waitFor();
  // It is one's own, so one may go on, and take it back.
  await terminal.getByRole('button', { name: 'Type into it' }).click();
  await terminal.getByText('Your keys go to the agent').waitFor();
  await page.keyboard.press('Control+u');
  await expect.poll(async () => (await screen()).draft).toBe('no');
  await page.keyboard.press('Control+]');
  const keys = (sequence: string) =>
    call(server, 'POST', '/houmao/agents/reviewer/gateway/control/send-keys', { sequence });
  await keys("somebody's");
  await expect.poll(async () => (await screen()).draft).toBe('yes');
  await expect.poll(text).toContain("somebody's");
  await terminal.getByRole('button', { name: 'Type into it' }).click();
  await terminal.getByRole('alert').waitFor();
  await terminal.getByText('Read only.').waitFor();
  await keys('<[C-u]>');
});

test('mail is read and written', async () => {
  await open('demo', 'Mail');
  const mail = page.getByRole('region', { name: 'Mail' });
  await mail.getByLabel('Subject').fill('Lunch');
  await mail.getByLabel('Text').fill('At noon?');
  await mail.getByRole('button', { name: 'Send the note' }).click();
  await mail.getByRole('button', { name: /Lunch/ }).click();
  await expect.poll(() => mail.locator('.messages pre').textContent()).toContain('At noon?');
});

test('a reminder is made and taken back', async () => {
  await open('demo', 'Reminders');
  const reminders = page.getByRole('region', { name: 'Reminders' });
  await reminders.getByLabel('Prompt').fill('Look at the inbox');
  await reminders.getByRole('button', { name: 'Create' }).click();
  const item = reminders.getByRole('listitem').filter({ hasText: 'Look at the inbox' });
  await item.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => item.count()).toBe(0);
});

test('events come as they happen, and files of a turn and the log of the gateway are there', async () => {
  await open('demo', 'Events');
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('nothing yet').waitFor();
  await call(server, 'POST', '/houmao/agents/demo/gateway/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'event' },
  });
  await events.getByText('turn_ended').waitFor();
  await room('Output').click();
  await expect
    .poll(() => page.getByRole('region', { name: 'Output' }).locator('pre').last().textContent())
    .toContain('"type":"result"');
  await room('Log').click();
  const log = page.getByRole('region', { name: 'Log' }).locator('pre');
  await expect.poll(() => log.textContent()).toContain('turn ended');
  const before = (await log.textContent())?.length ?? 0;
  await call(server, 'POST', '/houmao/agents/demo/gateway/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'logged' },
  });
  await expect.poll(async () => (await log.textContent())?.length).toBeGreaterThan(before);
});

test('keys lead through it, and a filter finds an agent', async () => {
  await page.goto(`${server}/#/`);
  await page.getByText('Choose an agent.').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('region', { name: 'Keys' }).waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('j');
  const first = await page.getByRole('heading', { level: 2 }).textContent();
  await page.keyboard.press('j');
  await expect.poll(() => page.getByRole('heading', { level: 2 }).textContent()).not.toBe(first);
  await page.keyboard.press('m');
  await page.getByRole('region', { name: 'Mail' }).waitFor();
  await page.keyboard.press('w');
  await page.keyboard.press('p');
  await page.keyboard.type('j');
  expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('j');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('review');
  await expect.poll(() => page.locator('.agents strong').allTextContents()).toEqual(['reviewer']);
  await page.getByRole('searchbox').fill('');
});

test('on a phone it is one thing at a time, readable in light and dark', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server}/#/`);
    await open('reviewer', 'Work');
    expect(await agent('demo').isVisible()).toBe(false);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wide).toBe(false);
    expect(await faintTexts(page, 4.5)).toEqual([]);
    await page.getByRole('link', { name: 'All agents' }).click();
    expect(await agent('demo').isVisible()).toBe(true);
    expect(await faintTexts(page, 4.5)).toEqual([]);
  }
});

test('it is light: under 150 kB, and the terminal comes only where one is opened', async () => {
  const other = await browser.newPage();
  await other.goto(`${server}/#/`);
  await other.getByRole('navigation', { name: 'Agents' }).getByRole('link').first().waitFor();
  const sizes = await other.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/console/'))
      .map(
        (entry) =>
          [entry.name.split('/').at(-1), (entry as PerformanceResourceTiming).encodedBodySize] as const,
      ),
  );
  expect(sizes.map(([name]) => name).sort()).toEqual(['console.css', 'console.js', 'xterm.css']);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(all).toBeGreaterThan(0);
  expect(all).toBeLessThan(150_000);
  await other.close();
});

test('it asks nothing of another host, and has no complaints', () => {
  expect(requested.filter((url) => !url.startsWith(server) && !url.startsWith('data:'))).toEqual([]);
  // The browser itself reports that an empty file has no last part.
  expect(complaints.filter((text) => !/\b416\b/.test(text))).toEqual([]);
});
