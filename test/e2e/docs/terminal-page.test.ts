import { writeFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { terminalHtml } from '../../support/terminal-picture.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** Tries an operation out. @returns its status and body as the page shows them. */
async function tryOut(
  page: Page,
  operation: string,
  body?: object,
): Promise<{ block: Locator; text: string }> {
  const block = page.locator(`#operations-${operation}`);
  await block.locator('.opblock-summary-control').click();
  if (body) await block.locator('textarea.body-param__text').fill(JSON.stringify(body, null, 2));
  await block.getByRole('button', { name: 'Execute' }).click();
  const answer = block.locator('.live-responses-table').first();
  await answer.locator('tbody .response-col_status').first().waitFor();
  return { block, text: (await answer.textContent()) ?? '' };
}

const capture = (): string =>
  agents.tmux.run('capture-pane', '-p', '-e', '-t', `=${agents.agent.session}:0.0`);

/** For the README, where a path is given: what the page shows of an operation, beside what the terminal shows since. */
async function keepPicture(operation: Locator, prompt: string): Promise<void> {
  const path = process.env.HOUMAO_PICTURE;
  if (path === undefined) return;
  const top = await operation.boundingBox();
  const bottom = await operation.locator('.live-responses-table').first().boundingBox();
  if (!top || !bottom) throw new Error('The operation is not on the page.');
  const scrolled = await operation.evaluate((element) => element.ownerDocument.defaultView!.scrollY);
  const clip = { ...top, y: top.y + scrolled, height: bottom.y + bottom.height - top.y };
  const shown = (await operation.page().screenshot({ clip, fullPage: true })).toString('base64');
  const rows = capture().split('\n');
  const since = rows.slice(rows.findIndex((row) => row.includes(prompt)) - 1).join('\n');
  const page = await browser!.newPage({ viewport: { width: 2000, height: 700 } });
  await page.setContent(
    `<body style="margin:0;display:flex;gap:8px;width:max-content;background:#16181d"><img src="data:image/png;base64,${shown}">${terminalHtml(since)}</body>`,
  );
  writeFileSync(path, await page.locator('body').screenshot());
}

test('a terminal is driven from the page: a prompt goes in, and its screen is read', async () => {
  await agents.launch();
  await agents.ready();
  agents.tmux.run('resize-window', '-t', `=${agents.agent.session}:0`, '-x', '90', '-y', '40');
  const page = await browser!.newPage({ viewport: { width: 900, height: 1000 } });
  await page.goto(`${agents.agent.url}/docs/`);
  const prompt = 'Which files changed since yesterday?';
  const { block, text } = await tryOut(page, 'control-controlPrompt', { prompt });
  expect(text).toContain('"sent": true');
  expect(agents.taken()).toMatchObject([{ prompt }]);
  await agents.ready();
  await keepPicture(block, prompt);
  const { text: state } = await tryOut(page, 'tui-getTuiState');
  expect(state).toContain('"ready_posture": "yes"');
  expect(state).toContain(prompt);
  const { text: typed } = await tryOut(page, 'control-sendKeys', { sequence: 'a draft' });
  expect(typed).toContain('200');
  await expect.poll(agents.composer).toContain('a draft');
});
