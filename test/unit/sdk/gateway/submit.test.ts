import type { Silence } from '@houmao/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bothDoors } from '../both-doors.js';
import { answerJson } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

describe.each(bothDoors)('$door', ({ gatewayAt, server, caught, idOf }) => {
  async function stub(options: StubOptions = {}) {
    const gateway = await startStubGateway(options);
    onTestFinished(() => gateway.close());
    return { gateway, client: gatewayAt(gateway.url) };
  }

  test('a handle has the id, the record and the answer, and another client has the same by the id', async () => {
    const { gateway, client } = await stub();
    const handle = await client.submit('Hello', { idempotencyKey: 'mine', turnId: 'turn-mine' });
    expect(gateway.received[0]!.headers['idempotency-key']).toBe('mine');
    expect(JSON.parse(gateway.received[0]!.body).payload).toEqual({ prompt: 'Hello', turn_id: 'turn-mine' });
    const other = gatewayAt(gateway.url).request(handle.requestId);
    expect(await other.record()).toMatchObject({ request_id: handle.requestId });
    await expect(handle.answer()).resolves.toBe('You said: Hello');
    await expect(other.answer()).resolves.toBe('You said: Hello');
    expect(gateway.records).toHaveLength(1);
  });

  test('labels are sent in ASCII beside the body, and none where none were given', async () => {
    const { gateway, client } = await stub();
    const metadata = { ticket: 'HOU-1', note: 'é 🙂\n' };
    await client.submit('Hello', { metadata });
    await client.prompt('Hello', { metadata, idempotencyKey: 'mine' });
    await client.submit('Hello');
    const sent = gateway.received.filter(({ method }) => method === 'POST').map(({ headers }) => headers);
    const text = String.raw`{"ticket":"HOU-1","note":"\u00e9 \ud83d\ude42\n"}`;
    expect(sent.map((headers) => headers['x-houmao-metadata'])).toEqual([text, text, undefined]);
    expect(sent[1]!['idempotency-key']).toBe('mine');
    for (const { body } of gateway.received) expect(body).not.toContain('HOU-1');
  });

  test('a deadline is sent as a moment, and none where none was given', async () => {
    const { gateway, client } = await stub();
    const deadline = new Date('2026-03-13T12:00:00+01:00');
    await client.submit('Hello', { deadline });
    await client.prompt('Hello', { deadline });
    await client.submit('Hello');
    const sent = gateway.received.filter(({ method }) => method === 'POST').map(({ headers }) => headers);
    const moment = '2026-03-13T11:00:00.000Z';
    expect(sent.map((headers) => headers['x-houmao-deadline'])).toEqual([moment, moment, undefined]);
  });

  test('a submission that is not to be repeated is sent once', async () => {
    const { gateway, client } = await stub({
      intercept: (_request, res) => {
        res.destroy();
        return true;
      },
    });
    const error = await caught(client.submit('Hello', { maxRetries: 0 }));
    expect(error).toMatchObject({ errorCode: 'connection_failed', operationId: idOf('submitRequest') });
    expect(gateway.received).toHaveLength(1);
  });

  test('what waits is taken back; what runs is not, and says so with the id', async () => {
    const { gateway, client } = await stub();
    const handle = await client.submit('forever');
    expect(await handle.cancel()).toMatchObject({ request_id: handle.requestId, state: 'cancelled' });
    const running = await client.submit('forever');
    Object.assign(gateway.records[1]!, { state: 'running' });
    const error = await caught(client.request(running.requestId).cancel());
    expect(error).toMatchObject({
      status: 409,
      requestId: running.requestId,
      operationId: idOf('cancelRequest'),
    });
  });

  test('a record that nobody has says for which id', async () => {
    const { client } = await stub();
    const error = await caught(client.request('gwreq-none').record());
    expect(error).toMatchObject({ status: 404, requestId: 'gwreq-none' });
  });

  test('a handle knows that its prompt was queued, also when nobody answers any more', async () => {
    const time = ownTime();
    let looks = 0;
    const { client } = await stub({
      intercept: ({ method }, res) => {
        if (method !== 'GET') return false;
        looks += 1;
        res.destroy();
        return true;
      },
    });
    const handle = await client.submit('forever');
    const { requestId } = handle;
    const reported = caught(handle.answer({ timeoutMs: 60_000 }));
    // The second look follows on a first one of which it is known that it got no answer.
    await time.passUntil(() => looks, 2);
    await time.pass(60_000);
    const error = await reported;
    expect(error).toMatchObject({ errorCode: 'timeout', requestId });
    expect(error.detail).toContain(`Request ${requestId} was accepted when the ${server} last answered`);
  });

  test('without a limit a silence is waited out, and reported with since when', async () => {
    const time = ownTime();
    let away = false;
    const { gateway, client } = await stub({
      intercept: (_received, res) => {
        if (away) res.destroy();
        return away;
      },
    });
    const handle = await client.submit('forever');
    const updates: [string, Silence | null][] = [];
    const silences: Silence[] = [];
    const answer = handle.answer({
      onUpdate: ({ state }, silence) => updates.push([state, silence]),
      onSilence: (silence) => silences.push(silence),
    });
    await time.until(() => updates, [['accepted', null]]);
    const before = Date.now();
    away = true;
    await time.passUntil(() => silences.length, 2);
    expect(updates.slice(1).map(([state, silence]) => [state, silence])).toEqual(
      silences.map((silence) => ['accepted', silence]),
    );
    const [first, second] = silences;
    expect(first!.error.errorCode).toBe('connection_failed');
    expect(first!.forMs).toBeGreaterThanOrEqual(2000);
    expect(second!.forMs).toBeGreaterThanOrEqual(first!.forMs + 2000);
    // The first look that found nobody there began when the one before it had been answered for a moment.
    expect([first!.since, second!.since]).toEqual([new Date(before + 50), new Date(before + 50)]);
    const turn = { state: 'ended', outcome: 'completed', answer: { text: 'back', truncated: false } };
    Object.assign(gateway.records[0]!, { state: 'completed', finished_at_utc: 'now', turn });
    away = false;
    expect(await time.passWhile(answer)).toBe('back');
    expect(updates.at(-1)).toEqual(['completed', null]);
  });

  test('a turn in a state that this version does not know is no answer', async () => {
    const { client } = await stub({
      intercept: ({ method, url }, res) => {
        if (method !== 'GET') return false;
        const turn = { turn_id: 'turn-1', state: 'suspended', outcome: null, answer: null, error: null };
        answerJson(res, 200, {
          request_id: url.split('/').at(-1)?.split('?')[0],
          state: 'completed',
          error: null,
          turn,
        });
        return true;
      },
    });
    const handle = await client.submit('Hello');
    const error = await caught(handle.answer());
    expect(error).toMatchObject({ errorCode: 'unknown_state', requestId: handle.requestId });
    expect(error.detail).toMatch(/^Turn turn-1 .+ `suspended`/);
  });
});
