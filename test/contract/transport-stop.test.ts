import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { makeSession, type TestSession } from '../support/test-session.js';
import { ask } from './support/ask.js';
import { readEvents } from './support/events.js';
import { raw, request, submission } from './support/raw-http.js';

interface Seen {
  status: number;
  headers: ReadonlyMap<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  body: any;
}
interface Caller {
  write(message: string): void;
  /** Every answer on the connection, in order. */
  readonly answers: Seen[];
  /** Resolves when the first request is on its way. */
  readonly asked: Promise<void>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
}

/** A client that keeps its connection and asks again after each answer, for as long as it is let. */
function keepAsking(port: number, message: () => string): Caller {
  const answers: Seen[] = [];
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first = '', ...lines] = received.slice(0, end).split('\r\n');
      const headers = new Map(
        lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const length = Number(headers.get('content-length'));
      if (received.length < end + 4 + length) return;
      answers.push({
        status: Number(first.split(' ')[1]),
        headers,
        body: JSON.parse(received.slice(end + 4, end + 4 + length)),
      });
      received = received.slice(end + 4 + length);
      if (headers.get('connection') !== 'close') socket.write(message());
    }
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A connection may be cut while the next request is on its way; what was answered counts.
  socket.on('error', () => undefined);
  const asked = new Promise<void>((resolve) =>
    socket.once('connect', () => socket.write(message(), () => resolve())),
  );
  return { write: (text) => void socket.write(text), answers, asked, closed };
}

/** A gateway whose agent works on a prompt that takes an hour. */
async function busyGateway(
  prompt = '[[slow=3600000]] long',
): Promise<{ session: TestSession; gateway: GatewayProcess; running: string }> {
  const session = await makeSession();
  onTestFinished(() => session.remove());
  const gateway = await startGateway(session);
  const { body } = await ask(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt },
  });
  const running: string = body.request_id;
  // The last event of its turn for an hour: a caller that waits for another one waits.
  await expect
    .poll(async () => (await ask(gateway.url, 'GET', `/v1/requests/${running}`)).body.turn?.delivery.state, {
      timeout: 20_000,
    })
    .toBe('confirmed');
  return { session, gateway, running };
}

/** Nothing of a stop is a fault: not in the log, not among the events, not on stderr. */
function expectQuietStop(session: TestSession, gateway: GatewayProcess): void {
  expect(readFileSync(session.paths.log, 'utf8')).not.toMatch(/fault|removed|^\s+at |TypeError/im);
  expect(readEvents(session.paths).filter(({ kind }) => kind === 'fault')).toEqual([]);
  expect(gateway.stderr().replace(legacyUrl, '')).toBe('');
}
/** Node 24 says once that express-openapi-validator calls `url.parse()`. */
const legacyUrl = /^\(node:\d+\) \[DEP0169\] DeprecationWarning: .*\n\(Use `node --trace-deprecation .*\n/m;

test('a stop under 64 waiting callers and a running turn answers every one of them, at once and truly', async () => {
  const { session, gateway, running } = await busyGateway();
  await expect.poll(() => readEvents(session.paths).at(-1)?.kind).toBe('turn_confirmed');
  const last: number = (await ask(gateway.url, 'GET', '/v1/events?after=0&limit=200')).body.next_after;
  const polls = Array.from({ length: 32 }, () =>
    keepAsking(gateway.port, () => request(`GET /v1/events?after=${last}&wait_seconds=60`)),
  );
  const waits = Array.from({ length: 32 }, () =>
    keepAsking(gateway.port, () => request(`GET /v1/requests/${running}?wait_seconds=60`)),
  );
  await Promise.all([...polls, ...waits].map(({ asked }) => asked));
  // A connection that was made after all of theirs: they are all waiting by now.
  await raw(gateway.port, request('GET /health'));
  expect([...polls, ...waits].flatMap(({ answers }) => answers)).toEqual([]);

  // Their own time to wait is more than a test has.
  expect(await gateway.stop()).toBe(0);
  await Promise.all([...polls, ...waits].map(({ closed }) => closed));

  for (const { answers } of [...polls, ...waits])
    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [200, 'close'],
    ]);
  for (const { answers } of waits) {
    // The stop has ended its turn: they learn that, and not what was true a moment before.
    expect(answers[0]?.body).toMatchObject({
      request_id: running,
      state: 'failed',
      error: { code: 'interrupted' },
      turn: { outcome: 'interrupted' },
    });
  }
  for (const { answers } of polls) {
    const { events, next_after } = answers[0]?.body ?? {};
    expect(next_after).toBe(events.at(-1)?.seq ?? last);
  }
  expectQuietStop(session, gateway);
});

const prompts = () => submission('{"kind":"submit_prompt","payload":{"prompt":"next"}}');

test('a stop under callers who go on asking loses nothing that it accepted', async () => {
  const { session, gateway, running } = await busyGateway();
  const producers = Array.from({ length: 8 }, () => keepAsking(gateway.port, prompts));
  const readers = Array.from({ length: 8 }, () => keepAsking(gateway.port, () => request('GET /v1/status')));
  const callers = [...producers, ...readers];
  await expect.poll(() => callers.every(({ answers }) => answers.length > 2), { timeout: 20_000 }).toBe(true);
  await gateway.stop();
  await Promise.all(callers.map(({ closed }) => closed));

  for (const { answers } of callers) {
    const [last, ...before] = [...answers].reverse().map(({ headers }) => headers.get('connection'));
    expect([last, new Set(before)]).toEqual(['close', new Set(['keep-alive'])]);
  }
  const accepted = producers.flatMap(({ answers }) =>
    answers.filter(({ status }) => status === 202).map(({ body }) => body.request_id),
  );
  const stored = readEvents(session.paths).filter(({ kind }) => kind === 'accepted');
  expect(stored.map((event) => event.request_id).sort()).toEqual([running, ...accepted].sort());
  expectQuietStop(session, gateway);
});

test('a gateway that is stopping refuses new work, still says what it knows, and waits for nothing', async () => {
  // An agent that takes no signal: the stop lasts for seconds.
  const { session, gateway, running } = await busyGateway('[[ignore-signals]] [[slow=3600000]] stubborn');
  /** Asks once and keeps the connection. */
  const idle = (): Caller => {
    const first = [request('GET /health')];
    return keepAsking(gateway.port, () => first.pop() ?? '');
  };
  const callers = Array.from({ length: 4 }, idle);
  await expect
    .poll(() => callers.every(({ answers }) => answers.length === 1), { timeout: 20_000 })
    .toBe(true);
  const stopped = gateway.stop();
  await expect.poll(() => readFileSync(session.paths.log, 'utf8'), { timeout: 20_000 }).toMatch(/stopping/);
  const messages = [
    prompts(),
    request('DELETE /v1/requests/x'),
    request('GET /v1/status'),
    request(`GET /v1/requests/${running}?wait_seconds=60`),
  ];
  let over = false;
  void stopped.then(() => {
    over = true;
  });
  for (const [index, caller] of callers.entries()) caller.write(messages[index] ?? '');
  await Promise.all(callers.map(({ closed }) => closed));
  expect(over).toBe(false);
  await stopped;
  const last = callers.map(({ answers }) => answers.at(-1));
  expect(last.map((answer) => [answer?.status, answer?.headers.get('retry-after')])).toEqual([
    [503, '1'],
    [503, '1'],
    [200, undefined],
    [200, undefined],
  ]);
  expect(last[0]?.body).toEqual({ detail: 'The gateway is stopping and takes nothing new.' });
  expect(last[3]?.body).toMatchObject({ request_id: running, state: 'running' });
  for (const answer of last) expect(answer?.headers.get('connection')).toBe('close');
  expect(readEvents(session.paths).filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  expectQuietStop(session, gateway);
});
