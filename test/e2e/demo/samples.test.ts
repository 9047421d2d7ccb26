import { expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { call } from '../../support/http.js';
import { newHome, samplesAt, startDemo } from './demo-under-test.js';

// Whoever reads the page of `npm start` finds that the contract's samples of mail hold.

test('every sample of a mail operation is answered with 200, again after a restart', async () => {
  const home = newHome();
  for (const _start of ['first', 'second']) {
    const { url, stop } = await startDemo(home);
    const samples = await samplesAt(url);
    expect(samples).toHaveLength(13);
    for (const { method, path, bodies } of samples)
      for (const body of bodies) {
        const { status, body: answer } = await call(url, method, path, body);
        expect([method, path, body, status, status === 200 ? null : answer]).toEqual([
          ...[method, path, body, 200, null],
        ]);
      }
    expect(await stop()).toBe(0);
  }
});

test('on the page, Execute is answered with 200 by every mail operation as it stands there', {
  timeout: 180_000,
}, async () => {
  const { url, stop } = await startDemo(newHome());
  const samples = await samplesAt(url);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(`${url}/docs/`);
  const statuses: Record<string, string> = {};
  for (const { operationId } of samples) {
    const block = page.locator(`[id$="-${operationId}"]`).first();
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Execute' }).click();
    const status = block.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    statuses[operationId] = ((await status.textContent()) ?? '').trim();
    // The page is slow with many of them open.
    await block.locator('.opblock-summary-control').click();
  }
  expect(statuses).toEqual(Object.fromEntries(samples.map(({ operationId }) => [operationId, '200'])));
  expect(await stop()).toBe(0);
});

/** What differs from one time to the next stands for itself: names of messages, and times. */
const timeless = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/msg-\d{8}T\d{6}Z-[0-9a-f]{32}/g, 'msg')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z/g, 'time'),
  );

test('what is answered to the first sample is the sample of the answer', async () => {
  const { url, stop } = await startDemo(newHome());
  const { body } = await call(url, 'POST', '/v1/mail/list', {});
  const { message_ref } = body.messages[0];
  const asItWas = { message_refs: [message_ref], archived: false, read: false, answered: false };
  const answers: Record<string, [answered: unknown, sample: unknown]> = {};
  for (const { operationId, method, path, bodies, answer } of await samplesAt(url)) {
    if (!path.startsWith('/v1/mail/')) continue;
    expect((await call(url, 'POST', '/v1/mail/mark', asItWas)).status).toBe(200);
    const { body: answered } = await call(url, method, path, bodies[0]);
    answers[operationId] = [timeless(answered), timeless(answer)];
  }
  const all = Object.entries(answers);
  expect(all).toHaveLength(10);
  expect(Object.fromEntries(all.map(([id, [answered]]) => [id, answered]))).toEqual(
    Object.fromEntries(all.map(([id, [, sample]]) => [id, sample])),
  );
  expect(await stop()).toBe(0);
});
