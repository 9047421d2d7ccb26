import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { openDocs, type Pressed, unexpected } from '../../support/docs-page.js';
import { call } from '../../support/http.js';
import { newHome, startDemo } from './demo-under-test.js';

// A press of Execute on the pages of `npm start` gives an answer of 2xx, or the page says before what is answered instead.

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const patience = { timeout: 600_000 };

/** They need an agent that rests. */
const needRest = new Set(['controlPrompt', 'controlGatewayPrompt', 'createTurn', 'runHeadlessPrompt']);
/** They take away what others show, each more than the one before it. */
const last = [
  ...['notePrompt', 'noteGatewayPrompt', 'deleteReminder', 'deleteGatewayReminder'],
  ...['detachGateway', 'stopAgent', 'shutdownServer'],
];

const inOrder = (operations: readonly string[]): string[] =>
  [...operations].sort((one, other) => last.indexOf(one) - last.indexOf(other));

/** @param gateways of the agents that are prompted. */
async function pressAll(url: string, gateways: readonly string[]): Promise<Pressed[]> {
  const { operations, press, expectQuiet } = await openDocs(browser!, url);
  const pressed: Pressed[] = [];
  for (const operation of inOrder(operations)) {
    if (needRest.has(operation)) await Promise.all(gateways.map(atRest));
    // The browser itself reports every refusal, and after the end of the server that nobody answers.
    if (operation === 'shutdownServer') expectQuiet(/status of (4\d\d|502)/);
    pressed.push(await press(operation));
  }
  if (!operations.includes('shutdownServer')) expectQuiet(/status of (4\d\d|502)/);
  return pressed;
}

/** Waits until a prompt would be taken at once. */
const atRest = (url: string): Promise<void> =>
  expect
    .poll(async () => {
      const { active_execution, queue_depth, terminal_surface_eligibility } = (
        await call(url, 'GET', '/v1/status')
      ).body;
      return [active_execution, queue_depth, terminal_surface_eligibility];
    })
    .toEqual(['idle', 0, 'ready']);

const marked = (pressed: readonly Pressed[]): string[] =>
  pressed.filter(({ mark }) => mark !== null).map(({ operationId }) => operationId);

test('every operation of a gateway, of a headless agent', patience, async () => {
  const { url, stop } = await startDemo(newHome());
  await atRest(url);
  const pressed = await pressAll(url, [url]);
  expect(unexpected(pressed)).toEqual([]);
  expect(marked(pressed)).toEqual([
    ...['sendKeys', 'getTuiState', 'getTuiScreen', 'getTuiHistory', 'getDialog', 'answerDialog'],
    'notePrompt',
  ]);
  expect(pressed).toHaveLength(44);
  expect(await stop()).toBe(0);
});

test('every operation of a gateway, of an agent in a terminal', patience, async () => {
  const { reviewer, stop } = await startDemo(newHome());
  const pressed = await pressAll(reviewer, [reviewer]);
  expect(unexpected(pressed)).toEqual([]);
  expect(marked(pressed)).toEqual(['getHeadlessState', 'setNextPromptSession', 'answerDialog']);
  expect(await stop()).toBe(0);
});

test('every operation of the server', patience, async () => {
  const { server, url, stop } = await startDemo(newHome());
  await atRest(url);
  const pressed = await pressAll(server, [url]);
  expect(unexpected(pressed)).toEqual([]);
  expect(marked(pressed)).toEqual([
    // The demo is in no fleet, and has no notification.
    ...['listFleetHosts', 'listFleetEvents', 'listFleetCommands', 'getFleetCommand', 'cancelFleetCommand'],
    ...['getNotification', 'updateNotification', 'deleteNotification', 'testNotification'],
    ...['rotateNotificationSecret', 'listNotificationDeliveries', 'repeatNotificationDelivery'],
    ...['launchHeadlessAgent', 'answerGatewayDialog'],
  ]);
  expect(pressed).toHaveLength(95);
  expect(await stop()).toBe(0);
});
