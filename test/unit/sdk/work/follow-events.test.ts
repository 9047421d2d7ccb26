import { createGatewayClient, type WorkError } from '@houmao/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { answerJson, type Handler, listen } from '../local-server.js';

interface Stored {
  seq: number;
  kind: string;
}

/** A gateway's record of events, whose long polls are answered at once. */
async function recordOf(
  events: Stored[],
  intercept: (...args: Parameters<Handler>) => boolean = () => false,
) {
  const record = { events };
  const handle: Handler = (received, res) => {
    if (intercept(received, res)) return;
    const after = Number(new URL(received.url, 'http://stub').searchParams.get('after'));
    const last = record.events.at(-1)?.seq ?? 0;
    if (after > last) return answerJson(res, 410, { detail: `The last one is ${last}.` });
    const page = record.events.filter(({ seq }) => seq > after).slice(0, 2);
    answerJson(res, 200, { schema_version: 1, events: page, next_after: page.at(-1)?.seq ?? after });
  };
  const server = await listen(handle);
  onTestFinished(() => server.close());
  const client = createGatewayClient({ baseUrl: server.url });
  return { server, client, record };
}

const event = (seq: number, kind = 'turn_ended') => ({ seq, kind });
const asked = ({ url }: { url: string }) => new URL(url, 'http://stub').searchParams.get('after');

test('page after page is given out, each event once, until the loop is left', async () => {
  const { client, server } = await recordOf([1, 2, 3, 4, 5].map((seq) => event(seq)));
  const seen: unknown[] = [];
  for await (const item of client.events({ after: 1 })) {
    seen.push(item.kind === 'gap' ? item : item.seq);
    if (seen.length === 4) break;
  }
  expect(seen).toEqual([2, 3, 4, 5]);
  expect(server.received.map(asked)).toEqual(['1', '3']);
  expect(server.received[0]?.url).toContain('wait_seconds=30');
});

test('a signal ends it without an error, in the middle of a page, while nothing comes, and at once', async () => {
  const { client, record } = await recordOf([event(1), event(2)]);
  const controller = new AbortController();
  const seen: number[] = [];
  for await (const item of client.events({ signal: controller.signal })) {
    if (item.kind !== 'gap') seen.push(item.seq);
    controller.abort();
  }
  expect(seen).toEqual([1]);
  const waiting = new AbortController();
  const onUpdate = () => waiting.abort();
  for await (const item of client.events({ after: 2, signal: waiting.signal, onUpdate }))
    expect.fail(item.kind);
  for await (const item of client.events({ signal: AbortSignal.abort() })) expect.fail(item.kind);
  expect(record.events).toHaveLength(2);
});

test('only the kinds that were asked for come, and onUpdate tells how far all have been read', async () => {
  const { client } = await recordOf([event(1, 'accepted'), event(2), event(3, 'fault'), event(4, 'fault')]);
  const controller = new AbortController();
  const positions: number[] = [];
  const kinds: string[] = [];
  const onUpdate = ({ after }: { after: number }) => {
    positions.push(after);
    if (after === 4) controller.abort();
  };
  for await (const { kind } of client.events({ kinds: ['turn_ended'], onUpdate, signal: controller.signal }))
    kinds.push(kind);
  expect(kinds).toEqual(['turn_ended']);
  expect(positions).toEqual([2, 4]);
});

test('a record that began again is a gap, and is read from its beginning', async () => {
  const { client, record } = await recordOf([event(40), event(41)]);
  const seen: unknown[] = [];
  for await (const item of client.events({ kinds: ['turn_ended'] })) {
    seen.push(item);
    if (item.kind === 'gap') continue;
    if (item.seq === 41) record.events = [event(1), event(2)];
    if (item.seq === 2) break;
  }
  const gap = { kind: 'gap', after: 41, detail: 'The last one is 2.' };
  expect(seen).toEqual([event(40), event(41), gap, event(1), event(2)]);
});

test('kinds of a newer gateway come through', async () => {
  const { client } = await recordOf([event(1, 'comet_seen')]);
  const { value } = await client.events().next();
  expect(value).toMatchObject({ seq: 1, kind: 'comet_seen' });
});

test('lost connections and a gateway that is away are borne, and a silence is reported', async () => {
  let lost = 0;
  const { client } = await recordOf([event(1)], (_, res) => {
    lost += 1;
    if (lost === 1) res.destroy();
    else if (lost < 7) answerJson(res, 503, { detail: 'Away.' });
    return lost < 7;
  });
  const silences: unknown[] = [];
  const onUpdate = (position: { after: number }, silence: { error: WorkError } | null) =>
    silences.push([position.after, silence?.error.status]);
  const { value } = await client.events({ onUpdate }).next();
  expect(value).toMatchObject({ seq: 1 });
  expect(silences).toEqual([[0, 503]]);
});

test('a silence beyond silenceMs and a refusal are errors', async () => {
  const { client } = await recordOf([], (_, res) => {
    answerJson(res, 503, { detail: 'Away.' });
    return true;
  });
  await expect(client.events({ after: 7, silenceMs: 1 }).next()).rejects.toMatchObject({
    errorCode: 'connection_failed',
    operationId: 'listEvents',
    detail: expect.stringContaining('Go on with after=7.'),
  });
  const refusing = await recordOf([], (_, res) => {
    answerJson(res, 401, { detail: 'No.' });
    return true;
  });
  await expect(refusing.client.events().next()).rejects.toMatchObject({ status: 401, detail: 'No.' });
  const gone = await recordOf([], (_, res) => {
    answerJson(res, 410, { detail: 'Nothing at all.' });
    return true;
  });
  await expect(gone.client.events().next()).rejects.toMatchObject({ status: 410 });
});
