// The parts of a turn, as streams and pages, on both surfaces and with the SDK.
import { connect } from 'node:net';
import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { describe, expect, test } from 'vitest';
import { readStream, wholeStream } from '../support/event-stream.js';
import { startGateway } from '../support/gateway-process.js';
import { ask } from './support/ask.js';
import { behindServer } from './support/behind-server.js';
import { serveEach } from './support/served.js';

type TurnPart = Schemas['TurnPart'];

/** The messages that a reader sees, who does as the contract says. */
function messagesIn(parts: readonly TurnPart[]): string[] {
  const messages: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'text') continue;
    const { text, position } = part.data;
    if (position === 'begins') messages.push(text);
    else messages.push((messages.pop() ?? '') + text);
  }
  return messages;
}

describe('a turn', () => {
  const behind = behindServer();
  const surfaces = [
    ['at its gateway', (turnId: string) => `${behind.gateway?.url}/v1/turns/${turnId}/stream`],
    [
      'at the server',
      (turnId: string) => `${behind.server.url}/houmao/agents/${behind.name}/turns/${turnId}/stream`,
    ],
    [
      'at the server, as its gateway has it',
      (turnId: string) => `${behind.server.url}/houmao/agents/${behind.name}/gateway/turns/${turnId}/stream`,
    ],
  ] as const;

  const begin = async (turn_id: string, prompt: string): Promise<string> => {
    const payload = { prompt, turn_id };
    const { body } = await behind.direct('POST', '/v1/requests', { kind: 'submit_prompt', payload });
    await behind.direct('GET', `/v1/requests/${body.request_id}?wait_seconds=30&wait_until=started`);
    return turn_id;
  };
  const page = async (url: string) => {
    const { origin, pathname, search } = new URL(url);
    return ask(origin, 'GET', pathname + search);
  };

  describe.each(surfaces)('%s', (where, urlOf) => {
    const named = (name: string) => `${name}-${where.length}`;

    test('is streamed while it runs: the tool, the text in pieces, usage, and the end with its record', async () => {
      const turnId = await begin(named('runs'), '[[tool=Bash {"command":"ls"}]] [[drip=5]] say it in pieces');
      const events = await wholeStream(urlOf(turnId));
      const parts = events.map(({ data }) => data as TurnPart);
      expect(events.map(({ id, event }) => ({ id, kind: event }))).toEqual(
        parts.map(({ id, kind }) => ({ id, kind })),
      );
      const kinds = parts.map(({ kind }) => kind).filter((kind) => kind !== 'delivery');
      expect(kinds.slice(0, 2)).toEqual(['tool_use', 'tool_result']);
      expect(kinds.slice(-2)).toEqual(['usage', 'ended']);
      expect(kinds.filter((kind) => kind === 'text').length).toBeGreaterThan(5);
      expect(parts.findLast((part) => part.kind === 'delivery')?.data).toMatchObject({ state: 'confirmed' });
      const ended = parts.at(-1);
      expect(ended?.data).toMatchObject({ turn_id: turnId, state: 'ended', outcome: 'completed' });
      const answer = ended?.kind === 'ended' ? ended.data.answer?.text : undefined;
      expect(answer).toMatch(/^You said: say it in pieces/);
      expect(messagesIn(parts)).toEqual([answer]);
    });

    test('is a page or a stream, whichever a caller that takes both prefers', async () => {
      const turnId = await begin(named('prefers'), 'take both');
      await behind.direct('GET', `/v1/turns/${turnId}?wait_seconds=30`);
      for (const [Accept, type] of [
        ['application/json, text/event-stream', 'application/json'],
        ['text/event-stream;q=0.5, application/json', 'application/json'],
        ['text/event-stream, application/json', 'text/event-stream'],
        ['text/event-stream, */*', 'text/event-stream'],
      ] as const) {
        const answer = await fetch(urlOf(turnId), { headers: { Accept } });
        await answer.body?.cancel();
        expect([Accept, answer.headers.get('content-type')]).toEqual([Accept, `${type}; charset=utf-8`]);
      }
    });

    test('is read in pages, or gone on with by the id of a part: the same parts, each once', async () => {
      const turnId = await begin(named('pages'), 'read me in pages');
      await behind.direct('GET', `/v1/turns/${turnId}?wait_seconds=30`);
      const url = urlOf(turnId);
      const whole = await wholeStream(url);
      const middle = whole[Math.floor(whole.length / 2)];
      expect(await wholeStream(url, { 'Last-Event-ID': middle?.id ?? '' })).toEqual(
        whole.slice(whole.indexOf(middle!) + 1),
      );
      const { status, body } = await page(`${url}?after=${middle?.id}`);
      expect(status).toBe(200);
      const last = await page(`${url}?after=${body.next_after}`);
      const rest = [...body.parts, ...last.body.parts];
      expect(rest).toEqual(whole.slice(whole.indexOf(middle!) + 1).map(({ data }) => data));
      expect(await page(`${url}?after=${whole.at(-1)?.id}&wait_seconds=60`)).toMatchObject({
        status: 200,
        body: { parts: [], next_after: whole.at(-1)?.id },
      });
    });

    test('that was read to its end is 204 to a browser that connects again', async () => {
      const url = urlOf(await begin(named('read'), 'read me'));
      const id = (await wholeStream(url)).at(-1)?.id ?? '';
      const headers = { Accept: 'text/event-stream', 'Last-Event-ID': id };
      expect((await fetch(url, { headers })).status).toBe(204);
    });

    test('is waited for: a page comes with the next part', async () => {
      const turnId = await begin(named('waits'), '[[slow=600000]] take your time');
      const read = async (after: string, seconds: number) =>
        (await page(`${urlOf(turnId)}?after=${after}&wait_seconds=${seconds}`)).body;
      let { next_after } = await read('0.0', 0);
      while ((await read(next_after, 0)).parts.length > 0) ({ next_after } = await read(next_after, 0));
      const waiting = read(next_after, 60);
      await behind.direct('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
      let { parts } = await waiting;
      while (parts.at(-1)?.kind !== 'ended') ({ parts } = await read(parts.at(-1).id, 60));
      expect(parts.at(-1).data).toMatchObject({ outcome: 'interrupted' });
    });

    test('that nobody knows, or a part that is none, is refused as any call', async () => {
      const headers = { Accept: 'text/event-stream' };
      const answer = await fetch(urlOf('turn-none'), { headers });
      expect([answer.status, answer.headers.get('X-Houmao-Error-Code')]).toEqual([404, 'unknown_turn']);
      const { status, body } = await page(`${urlOf('turn-none')}?after=nonsense`);
      expect([status, body.detail[0].loc]).toEqual([422, ['query', 'after']]);
      const invalid = await fetch(urlOf('turn-none'), { headers: { ...headers, 'Last-Event-ID': '1' } });
      expect(invalid.status).toBe(422);
    });
  });

  test('is streamed by the handles of the SDK, also while its prompt waits in the queue', async () => {
    const gateway = createGatewayClient({ baseUrl: behind.gateway?.url ?? '' });
    const agent = createHoumaoClient({ baseUrl: behind.server.url }).agent(behind.name);
    await gateway.updateQueue({ body: { paused: true } });
    const [first, second] = [await gateway.submit('by its gateway'), await agent.submit('by the server')];
    const kindsOf = async (stream: AsyncIterable<TurnPart>) => {
      const parts: TurnPart[] = [];
      for await (const part of stream) parts.push(part);
      return { first: parts[0]?.kind, last: parts.at(-1)?.kind, text: messagesIn(parts).at(-1) };
    };
    const streams = [
      first.stream(),
      second.stream(),
      agent.gateway.request(first.requestId).stream(),
      agent.turn(second.turnId).stream(),
    ].map(kindsOf);
    await gateway.updateQueue({ body: { paused: false } });
    const [own, other, ownAgain, otherAgain] = await Promise.all(streams);
    expect(own).toMatchObject({ last: 'ended', text: expect.stringContaining('by its gateway') });
    expect(other).toMatchObject({ last: 'ended', text: expect.stringContaining('by the server') });
    expect(ownAgain?.text).toBe(own?.text);
    expect(otherAgain?.text).toBe(other?.text);
    // A turn that has ended is streamed again, and ends where it was left.
    expect((await kindsOf(gateway.turn(second.turnId).stream())).text).toBe(other?.text);
  });

  test('that never begins ends the stream of its request with the reason; an abort ends it without', async () => {
    const gateway = createGatewayClient({ baseUrl: behind.gateway?.url ?? '' });
    await gateway.updateQueue({ body: { paused: true } });
    const request = await gateway.submit('never');
    const streaming = request.stream().next();
    const leaving = new AbortController();
    const left = request.stream({ signal: leaving.signal }).next();
    leaving.abort();
    expect(await left).toEqual({ done: true, value: undefined });
    await request.cancel();
    await expect(streaming).rejects.toMatchObject({ name: 'PromptFailed', errorCode: 'cancelled' });
    await gateway.updateQueue({ body: { paused: false } });
  });
});

describe('a gateway', () => {
  const served = serveEach();
  const urlOf = (turnId: string) => `${served.gateway.url}/v1/turns/${turnId}/stream`;
  const started = async (prompt: string, turn_id: string) => {
    const { body } = await served.prompt(prompt, { turn_id });
    await served.ask('GET', `/v1/requests/${body.request_id}?wait_seconds=30&wait_until=started`);
  };

  test('that dies in the middle of a turn loses no part, and the SDK goes on when it is back', async () => {
    await started('[[drip=100]] [[words=600]] a long answer', 'turn-killed');
    const stream = createGatewayClient({ baseUrl: served.gateway.url }).turn('turn-killed').stream();
    const parts: TurnPart[] = [];
    const { port } = new URL(served.gateway.url);
    let restarted: Promise<void> | null = null;
    for await (const part of stream) {
      parts.push(part);
      if (part.kind !== 'text' || restarted !== null || part.data.text !== 'word2 ') continue;
      restarted = served.gateway.kill().then(async () => {
        served.gateway = await startGateway(served.session, { flags: ['--port', port] });
      });
    }
    await restarted;
    expect(parts.at(-1)).toMatchObject({ kind: 'ended', data: { outcome: 'failed' } });
    const [message] = messagesIn(parts);
    expect(message).toMatch(/^You said: a long answer .* word1 word2 /);
    const stored = (await wholeStream(urlOf('turn-killed'))).map(({ data }) => data as TurnPart);
    const isText = ({ kind }: TurnPart) => kind === 'text';
    expect(parts.filter(isText)).toEqual(stored.filter(isText));
    expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length);
  });

  test('that stops ends its streams: that of a turn with the end of the turn', async () => {
    await started('[[slow=600000]] long', 'turn-stopped');
    const turn = wholeStream(urlOf('turn-stopped'));
    const events = wholeStream(`${served.gateway.url}/v1/events`);
    for await (const { event } of readStream(urlOf('turn-stopped'))) if (event === 'delivery') break;
    await served.gateway.stop();
    expect((await turn).at(-1)?.event).toBe('ended');
    expect((await events).map(({ event }) => event)).toContain('gateway_stopping');
    served.gateway = await startGateway(served.session);
  });

  test('streams its events, and goes on behind the one that a browser has', async () => {
    await started('hello', 'turn-events');
    const seen: { id: string; event: string }[] = [];
    for await (const { id, event } of readStream(`${served.gateway.url}/v1/events`)) {
      seen.push({ id, event });
      if (event === 'completed') break;
    }
    const { body } = await served.ask('GET', '/v1/events');
    expect(seen).toEqual(
      body.events.map(({ seq, kind }: { seq: number; kind: string }) => ({ id: `${seq}`, event: kind })),
    );
    const [, , third] = seen;
    for await (const { id } of readStream(`${served.gateway.url}/v1/events`, { 'Last-Event-ID': '2' })) {
      expect(id).toBe(third?.id);
      break;
    }
    const beyond = await fetch(`${served.gateway.url}/v1/events`, {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': '999999' },
    });
    expect(beyond.status).toBe(410);
  });

  test('is not held up by a reader that stops reading', async () => {
    await started('[[words=200000]] more than any buffer holds', 'turn-long');
    const { port } = new URL(served.gateway.url);
    const lazy = connect(Number(port), '127.0.0.1');
    lazy.write(
      'GET /v1/turns/turn-long/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
    );
    await new Promise((resolve) => lazy.once('readable', resolve));
    const parts = (await wholeStream(urlOf('turn-long'))).map(({ data }) => data as TurnPart);
    expect(messagesIn(parts)[0]).toMatch(/ word200000$/);
    // The lazy one does not keep the gateway from stopping either.
    await served.gateway.stop();
    lazy.destroy();
    served.gateway = await startGateway(served.session);
  });
});
