import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Part } from '../contract/support/bundle.js';
import { call } from './http.js';

/** The result of Execute, as the page shows it. */
export interface Pressed {
  operationId: string;
  status: number;
  /** The sentence of a refusal; null for an answer that is none. */
  sentence: string | null;
  /** The page's mark on an operation that cannot be done; null where it has none. */
  mark: string | null;
}

/** The page of a surface in a browser. */
export interface DocsPage {
  readonly page: Page;
  /** In the order of the page. */
  readonly operations: readonly string[];
  /** Opens an operation, and leaves it open. */
  open(operationId: string): Promise<Locator>;
  /** Presses Execute with what is filled in. */
  press(operationId: string): Promise<Pressed>;
  /** Nothing was asked of another host, and the console has no complaints but these. */
  expectQuiet(but?: RegExp): void;
}

/** @param look what the browser pretends to be. */
export async function openDocs(
  browser: Browser,
  url: string,
  look: Parameters<Browser['newPage']>[0] = { viewport: { width: 1400, height: 1000 } },
): Promise<DocsPage> {
  const page = await browser.newPage(look);
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${url}/docs/`);
  await page.locator('.opblock button').first().waitFor();
  const { body: document } = await call(url, 'GET', '/openapi.json');
  const operations = Object.values<Part>(document.paths).flatMap((item) =>
    Object.values<Part>(item).map(({ operationId }) => operationId as string),
  );
  const blockOf = (operationId: string): Locator => page.locator(`.opblock[id$="-${operationId}"]`);
  const toggle = (block: Locator): Promise<void> => block.locator('.opblock-summary-control').click();
  return {
    page,
    operations,
    open: async (operationId) => {
      const block = blockOf(operationId);
      await toggle(block);
      await block.getByRole('button', { name: 'Execute' }).waitFor();
      return block;
    },
    press: async (operationId) => {
      const block = blockOf(operationId);
      await toggle(block);
      const note = block.locator('blockquote', { hasText: 'Not available now.' });
      await block.getByRole('button', { name: 'Execute' }).click();
      const answer = block.locator('.live-responses-table tbody .response-col_status').first();
      await answer.waitFor();
      const status = Number.parseInt((await answer.textContent()) ?? '', 10);
      const mark = (await note.count()) === 0 ? null : await note.textContent();
      const sentence = status < 400 ? null : sentenceIn(await bodyIn(block));
      // The page is slow while it shows all of them.
      await toggle(block);
      return {
        operationId,
        status,
        sentence,
        mark: mark?.replace(/^.*It would answer: /s, '').trim() ?? null,
      };
    },
    expectQuiet: (but) => {
      expect(requested.filter((each) => !each.startsWith(url) && !each.startsWith('data:'))).toEqual([]);
      expect(complaints.filter((text) => !but?.test(text))).toEqual([]);
    },
  };
}

const bodyIn = async (block: Locator): Promise<string> =>
  (await block.locator('.live-responses-table .response-col_description pre code').first().textContent()) ??
  '';

function sentenceIn(body: string): string {
  const { detail } = JSON.parse(body) as { detail: string | { detail: string } };
  return typeof detail === 'string' ? detail : (detail.detail ?? body);
}

/** The operations that neither succeed nor have a mark with their answer. Empty is what a reader wants. */
export const unexpected = (pressed: readonly Pressed[]): Pressed[] =>
  pressed.filter(({ status, sentence, mark }) => (status < 300 ? mark !== null : mark !== asText(sentence)));

/** As a page shows Markdown. */
const asText = (sentence: string | null): string | null => sentence?.replaceAll('`', '') ?? null;
