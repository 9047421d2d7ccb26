import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveEach } from '../../contract/support/served.js';
import { launchBrowser } from '../../support/browser.js';
import { openDocs, type Pressed, unexpected } from '../../support/docs-page.js';

const served = serveEach();
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The operations that a headless agent without a mailbox cannot do, and those that find nothing before the first prompt. */
const unavailable = [
  ...[
    'getRequest',
    'cancelRequest',
    'getTurn',
    'streamTurn',
    'sendKeys',
    'getTuiState',
    'getTuiScreen',
    'getTuiHistory',
    'notePrompt',
  ],
  ...['getReminder', 'updateReminder', 'deleteReminder', 'updateMailNotifier'],
  ...['getMailStatus', 'listMail', 'peekMail', 'readMail', 'sendMail', 'postMail', 'replyMail', 'markMail'],
  ...['moveMail', 'archiveMail', 'fetchMailAttachment', 'getDialog', 'answerDialog'],
];

test('on a fresh gateway every operation does what stands there, or says beforehand why it does not', {
  timeout: 240_000,
}, async () => {
  const { operations, press, expectQuiet } = await openDocs(browser!, served.gateway.url);
  const pressed: Pressed[] = [];
  for (const operation of operations) {
    // A direct prompt needs an agent that rests.
    if (operation === 'controlPrompt') await served.idle();
    pressed.push(await press(operation));
  }
  expect(unexpected(pressed)).toEqual([]);
  expect(
    pressed
      .filter(({ mark }) => mark !== null)
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual([...unavailable].sort());
  // The browser itself reports every 4xx answer.
  expectQuiet(/status of 4\d\d/);
});

test('what was not there is there after the first prompt, once the page is loaded again', async () => {
  const sent = await served.prompt('hello');
  await served.final(sent.body.request_id);
  const { press } = await openDocs(browser!, served.gateway.url);
  for (const operation of ['getRequest', 'getTurn'])
    expect(await press(operation)).toMatchObject({ status: 200, mark: null });
});
