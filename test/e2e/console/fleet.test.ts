// The console of a host in a fleet: two hosts over a real NATS server, one of which goes away and comes back.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { faintTexts } from '../../support/contrast.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, inFleet, knows } from '../../support/fleet/hosts.js';
import { openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { takenPrompts } from '../recovery/evidence.js';

const engine = fleetEngine('ws1', 'ws2');
const start = fleetHosts(engine);
let ws1: FleetHost;
let ws2: FleetHost;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  await engine.start();
  ws1 = await start('ws1');
  ws2 = await start('ws2', { agent: 'beta' });
  await knows(ws1, 'ws1', 'ws2');
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on('pageerror', (error) => complaints.push(error.message));
}, 120_000);
afterAll(() => browser.close());
beforeEach(async () => {
  await page.goto('about:blank');
  await page.goto(`${ws1.server.url}/`);
  await agent('beta@ws2').waitFor();
});

const hosts = (): Locator => page.getByRole('navigation', { name: 'Hosts' });
const host = (name: string): Locator => hosts().getByRole('link', { name: new RegExp(`^${name}`) });
const agent = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Agents' }).getByRole('link').filter({ hasText: name });
const names = (): Promise<string[]> => page.locator('.agents strong').allTextContents();
const opened = (name: string): Locator => page.getByRole('article', { name });
const room = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Parts of the agent' }).getByRole('link', { name });
const prompt = async (text: string): Promise<void> => {
  const box = page.getByLabel('Prompt', { exact: true });
  await box.fill(text);
  await page.keyboard.press('Enter');
  await expect.poll(() => box.inputValue()).toBe('');
  await opened('beta@ws2').getByText('Accepted by the fleet as fcmd-').waitFor();
};
const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);
const picture = async (name: string): Promise<void> => {
  const folder = process.env.HOUMAO_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

test('shows the agents of all hosts, or of the one that is chosen, which the address keeps', async () => {
  expect(await hosts().getByRole('link').allTextContents()).toEqual([
    'All hosts',
    'ws1this hostonline',
    'ws2online',
  ]);
  expect(await names()).toEqual(['alpha', 'beta@ws2']);
  await host('ws2').click();
  await expect.poll(names).toEqual(['beta@ws2']);
  await agent('beta@ws2').click();
  await opened('beta@ws2').waitFor();
  expect(new URL(page.url()).hash).toBe('#/beta%40ws2/work?host=ws2');
  await page.reload();
  await opened('beta@ws2').waitFor();
  expect(await names()).toEqual(['beta@ws2']);
  expect(await host('ws2').getAttribute('aria-current')).toBe('true');
  await picture('ws2');
  await host('ws1').click();
  await expect.poll(names).toEqual(['alpha']);
  await opened('beta@ws2').waitFor();
});

test('the hosts are chosen by keys alone', async () => {
  await page.keyboard.press('h');
  await expect.poll(() => page.locator(':focus').textContent()).toBe('All hosts');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(names).toEqual(['beta@ws2']);
  await page.keyboard.press('?');
  await page.getByRole('region', { name: 'Keys' }).getByText('choose a host').waitFor();
});

test('an agent of another host is prompted, followed, and has its reminders, events, files and log as one of this host', async () => {
  await agent('beta@ws2').click();
  await prompt('[[drip=300]][[words=2000]] Count');
  const answer = page.getByRole('region', { name: 'Turn' }).locator('.text').last();
  const length = async (): Promise<number> => ((await answer.textContent()) ?? '').length;
  await answer.waitFor();
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before);
  await prompt('second');
  const queue = page.getByRole('region', { name: 'Queue' });
  await expect.poll(() => queue.locator('.prompt').allTextContents()).toEqual(['second']);
  await opened('beta@ws2').getByRole('button', { name: 'Interrupt' }).click();
  await expect.poll(() => answer.textContent()).toMatch(/You said: second/);
  expect(promptsOf(ws2)).toContain('second');
  await picture('work');

  await room('Events').click();
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('nothing yet').waitFor();
  await ws2.ask('POST', '/houmao/agents/beta/gateway/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'event' },
  });
  await events.getByText('turn_ended').waitFor();
  await room('Output').click();
  const output = page.getByRole('region', { name: 'Output' }).locator('pre').last();
  await expect.poll(() => output.textContent()).toContain('"type":"result"');
  await room('Log').click();
  const log = page.getByRole('region', { name: 'Log' }).locator('pre');
  await expect.poll(() => log.textContent()).toContain('turn ended');
  await room('Reminders').click();
  const reminders = page.getByRole('region', { name: 'Reminders' });
  await reminders.getByLabel('Prompt').fill('Look at the inbox');
  await reminders.getByRole('button', { name: 'Create' }).click();
  await reminders.getByRole('listitem').filter({ hasText: 'Look at the inbox' }).waitFor();
  const kept = (await ws2.ask('GET', '/houmao/agents/beta/gateway/reminders')).body.reminders;
  expect(kept).toMatchObject([{ prompt: 'Look at the inbox' }]);
  await reminders.getByRole('button', { name: 'Delete' }).click();
});

test('a host that is away: its agent as last known, its words for what it cannot do, and prompts that wait for it', async () => {
  await agent('beta@ws2').click();
  await page.getByRole('region', { name: 'Queue' }).waitFor();
  await ws2.away();
  await expect
    .poll(() => host('ws2').locator('.presence').textContent())
    .toMatch(/^left at .*, \d+[sm] ago$/);
  expect(await agent('beta@ws2').locator('.age').textContent()).toMatch(/^as of \d+[sm] ago$/);
  expect(await agent('beta@ws2').locator('.state').textContent()).toBe('was ready');
  expect(await opened('beta@ws2').getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
  const words = (await ws1.ask('GET', '/houmao/agents/beta%40ws2/overview')).body.detail;
  await expect.poll(() => opened('beta@ws2').getByRole('alert').first().textContent()).toBe(words);
  await room('Mail').click();
  await opened('beta@ws2').locator('.empty').getByText(words).waitFor();
  await room('Work').click();

  await prompt('for later');
  await prompt('not at all');
  const kept = page.getByRole('region', { name: 'With the fleet' });
  await kept.getByText('2 waiting').waitFor();
  await expect
    .poll(() => kept.locator('li small').allTextContents())
    .toEqual(Array(2).fill('accepted by the fleet, waits for host ws2'));
  await picture('away');
  // They are there for everyone who opens the page, by the words of the prompt.
  await page.reload();
  await expect.poll(() => kept.locator('.prompt').allTextContents()).toEqual(['for later', 'not at all']);
  await kept
    .getByRole('listitem')
    .filter({ hasText: 'not at all' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await kept.getByRole('listitem').filter({ hasText: 'not at all' }).getByText('cancelled').waitFor();

  await ws2.back();
  const answer = page.getByRole('region', { name: 'Turn' }).locator('.text').last();
  await expect.poll(() => answer.textContent(), { timeout: 60_000 }).toMatch(/You said: for later/);
  await expect.poll(() => kept.locator('.prompt').count()).toBe(0);
  await expect.poll(() => opened('beta@ws2').getByRole('alert').count()).toBe(0);
  expect(promptsOf(ws2)).not.toContain('not at all');
  await expect.poll(() => host('ws2').locator('.presence').textContent()).toBe('online');
}, 240_000);

test('an agent whose host was away before the page was opened is opened by what the fleet knows', async () => {
  await ws2.away();
  await page.reload();
  await agent('beta@ws2').click();
  await opened('beta@ws2').getByRole('alert').first().waitFor();
  await opened('beta@ws2').getByText('Its turns are not known yet.').waitFor();
  await room('Events').click();
  await ws2.back();
  await room('Work').click();
  await page.getByRole('region', { name: 'Turn' }).waitFor();
}, 240_000);

test('on a phone one chooses a host, then an agent, in light and dark', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${ws1.server.url}/#/`);
    await host('ws2').click();
    await expect.poll(names).toEqual(['beta@ws2']);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await wide()).toBe(false);
    expect(await faintTexts(page, 4.5)).toEqual([]);
    await picture(`phone-${colorScheme}`);
    await agent('beta@ws2').click();
    await opened('beta@ws2').waitFor();
    expect(await hosts().isVisible()).toBe(false);
    expect(await wide()).toBe(false);
    expect(await faintTexts(page, 4.5)).toEqual([]);
    await picture(`phone-agent-${colorScheme}`);
    await page.getByRole('link', { name: 'All agents' }).click();
    expect(await names()).toEqual(['beta@ws2']);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
});

test('a host that is out of its fleet says since when and why, and its own agents go on', async () => {
  await engine.kill();
  const notice = page.getByRole('alert').filter({ hasText: 'out of its fleet' });
  // The reason becomes another one once the connection is tried again.
  const saysWhy = async (): Promise<boolean> => {
    const { detail } = (await ws1.ask('GET', '/houmao/fleet')).body;
    return detail !== null && ((await notice.textContent()) ?? '').includes(`: ${detail}.`);
  };
  await expect.poll(saysWhy).toBe(true);
  expect(await notice.textContent()).toMatch(/ since \d+:\d\d/);
  await expect.poll(() => host('ws2').locator('.presence').textContent()).toMatch(/^unknown, last heard of/);
  expect(await host('ws1').locator('.presence').textContent()).toBe('out of its fleet');
  await picture('offline');
  await agent('alpha').click();
  await page.getByLabel('Prompt', { exact: true }).fill('alone');
  await page.keyboard.press('Enter');
  await expect.poll(() => promptsOf(ws1)).toContain('alone');
  await engine.start();
  await inFleet(ws1);
  await expect.poll(() => notice.count()).toBe(0);
}, 240_000);

test('a server without a fleet shows nothing of it, and is asked for it once', async () => {
  const server = await openManagedServer(temporaryFolder());
  const other = await browser.newPage();
  const asked: string[] = [];
  other.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await other.clock.install();
  await other.goto(`${server.url}/`);
  await other.getByText('No agents. Launch one:').waitFor();
  await other.clock.runFor(60_000);
  expect(await other.getByRole('navigation', { name: 'Hosts' }).count()).toBe(0);
  const ofFleet = asked.filter((path) => path.startsWith('/houmao/fleet') || path === '/houmao/agents');
  expect(ofFleet).toEqual(['/houmao/fleet']);
  await other.close();
  await server.close();
});

test('it has no complaints', () => expect(complaints).toEqual([]));
