import { expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { newHome, samplesAt, startDemo } from './demo-under-test.js';

// The contract's samples of mail hold on the page of `npm start`.

test('every sample of a mail operation is answered with 200, again after a restart', async () => {
  const home = newHome();
  for (const _start of ['first', 'second']) {
    const { url, stop } = await startDemo(home);
    const samples = await samplesAt(url);
    expect(samples).toHaveLength(14);
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

/** The answer with stand-ins for what differs by time and place: names of messages, times, and where a file lies. */
const timeless = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/msg-\d{8}T\d{6}Z-[0-9a-f]{32}/g, 'msg')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z/g, 'time')
      .replaceAll(/"\/[^"]*\/parser-notes\.md"/g, '"notes"'),
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
  expect(all).toHaveLength(11);
  expect(Object.fromEntries(all.map(([id, [answered]]) => [id, answered]))).toEqual(
    Object.fromEntries(all.map(([id, [, sample]]) => [id, sample])),
  );
  expect(await stop()).toBe(0);
});
