import { createHoumaoClient, type HoumaoError } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { dyingGateway, headlessState, waitingGateway } from '../../support/answering-gateway.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import type { call } from '../../support/http.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

let session: TestSession;
let server: ManagedServer;
let agent: string;

beforeEach(async () => {
  session = await makeSession();
  server = await openManagedServer(session.folder);
  agent = `/houmao/agents/${server.server.directory.list()[0]?.agentName}`;
});
afterEach(async () => {
  await server.close();
  session.remove();
});

async function gateway(): Promise<GatewayProcess> {
  const started = await startGateway(session);
  onTestFinished(async () => {
    await started.stop();
  });
  return started;
}

const detailOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.detail];
const name = () => agent.split('/').at(-1);
const prompt = { kind: 'submit_prompt', payload: { prompt: 'hello' } };
test('a gateway that is killed while a caller waits is reported at once, and counts as gone from then on', async () => {
  const { child } = await gateway();
  const last = (await server.ask('GET', `${agent}/gateway/events?limit=200`)).body.next_after;
  const waiting = server.ask('GET', `${agent}/gateway/events?after=${last}&wait_seconds=30`);
  // It has reached the gateway when what came after it is answered.
  await server.ask('GET', `${agent}/gateway/control/queue`);
  child.kill('SIGKILL');
  expect(detailOf(await waiting)).toEqual([
    503,
    `The gateway of agent \`${name()}\` was lost before it answered.`,
  ]);
  expect(detailOf(await server.ask('GET', `${agent}/gateway/control/queue`))).toEqual([
    503,
    expect.stringContaining(`POST /houmao/agents/${name()}/gateway/attach`),
  ]);
  const status = await server.ask('GET', `${agent}/gateway`);
  expect(status).toMatchObject({ status: 200, body: { gateway_health: 'not_attached', gateway_port: null } });
});

test('what was asked of a gateway that dies may be done, and its caller hears so', async () => {
  const { lines, kill } = await waitingGateway(session.paths);
  const asked = server.ask('POST', `${agent}/gateway/requests`, prompt);
  const keyed = server.ask('POST', `${agent}/gateway/requests`, prompt, { 'Idempotency-Key': 'k' });
  const reading = server.ask('GET', `${agent}/gateway/requests`);
  for (let call = 0; call < 3; call += 1) expect((await lines.next()).value).toMatch(/^asked /);
  kill();
  const lost = `The gateway of agent \`${name()}\` was lost before it answered`;
  expect(detailOf(await asked)).toEqual([503, `${lost}; whether it did what was asked is not known.`]);
  expect((await asked).headers.get('X-Houmao-Done')).toBe('unknown');
  expect(detailOf(await keyed)).toEqual([
    503,
    `${lost}; whether it did what was asked is not known. Repeat it with the same Idempotency-Key: it is done once.`,
  ]);
  expect(detailOf(await reading)).toEqual([503, `${lost}.`]);
  expect((await reading).headers.get('X-Houmao-Done')).toBeNull();
  const late = await server.ask('POST', `${agent}/gateway/requests`, prompt);
  expect([late.status, late.headers.get('X-Houmao-Done')]).toEqual([503, null]);
});

describe('a gateway that dies over a prompt to its agent', () => {
  const client = () => createHoumaoClient({ baseUrl: server.url }).agent(name()!);
  const dying = (runningTurn: string | null = null) =>
    dyingGateway(session.paths, '/v1/requests', runningTurn);
  const unknown =
    /^The gateway of agent `[^`]+` gave no usable answer \(lost\); whether it took this is not known: look up turn turn-\w+\./;

  test.each([
    ['/requests', { request_kind: 'submit_prompt', prompt: 'hello' }],
    ['/turns', { prompt: 'hello' }],
  ])('may have it: POST %s says so', async (path, body) => {
    await dying();
    const reported = await server.ask('POST', `${agent}${path}`, body);
    expect([reported.status, reported.headers.get('X-Houmao-Done')]).toEqual([503, 'unknown']);
    expect(reported.body.detail).toMatch(unknown);
  });

  test('or has a fault of its own over it, may have it, too', async () => {
    const detail = 'The disk is slow.';
    await waitingGateway(session.paths, {
      '/v1/control/headless/state': { body: headlessState(null) },
      '/v1/requests': { status: 500, body: { detail } },
    });
    const reported = await server.ask('POST', `${agent}/turns`, { prompt: 'hello' });
    expect(reported).toMatchObject({ status: 503, body: { detail } });
    expect(reported.headers.get('X-Houmao-Done')).toBe('unknown');
    expect(reported.headers.get('X-Houmao-Turn-Id')).toMatch(/^turn-/);
  });

  test('is reported by the SDK with the key to ask again with', async () => {
    await dying();
    const error = await client()
      .submit('hello', { idempotencyKey: 'mine' })
      .catch((caught: HoumaoError) => caught);
    const turnId = /turn-\w+/.exec((error as HoumaoError).detail)?.[0];
    expect(error).toMatchObject({ status: 503, idempotencyKey: 'mine', outcomeUnknown: true, turnId });
    expect((error as HoumaoError).detail).toMatch(unknown);
  });

  test('that was to end what runs may have ended it', async () => {
    await dying('turn-that-runs');
    const reported = await server.ask('POST', `${agent}/requests`, { request_kind: 'interrupt' });
    expect([reported.status, reported.headers.get('X-Houmao-Done')]).toEqual([503, 'unknown']);
    expect(reported.body.detail).toMatch(
      /; whether it took this is not known: look up turn turn-that-runs\.$/,
    );
  });
});

test('a gateway that hangs costs its caller five seconds, and works again when it goes on', async () => {
  const { child } = await gateway();
  await server.ask('GET', `${agent}/gateway/control/queue`);
  child.kill('SIGSTOP');
  const silent = `The gateway of agent \`${name()}\` did not answer within 5 s`;
  const [read, written] = await Promise.all([
    server.ask('GET', `${agent}/gateway/control/queue`),
    server.ask('PUT', `${agent}/gateway/control/queue`, { paused: false }),
  ]);
  expect(detailOf(read)).toEqual([503, `${silent}.`]);
  expect(detailOf(written)).toEqual([503, `${silent}; whether it did what was asked is not known.`]);
  // It hangs still: both were answered without it.
  child.kill('SIGCONT');
  await expect.poll(async () => (await server.ask('GET', `${agent}/gateway/control/queue`)).status).toBe(200);
});

test('a caller that goes away ends the wait at the gateway', async () => {
  const { lines } = await waitingGateway(session.paths);
  const caller = new AbortController();
  const path = `${agent}/gateway/events?wait_seconds=60`;
  const waiting = fetch(`${server.url}${path}`, { signal: caller.signal }).catch(() => 'went away');
  expect((await lines.next()).value).toMatch(/^asked .v1.events\?wait_seconds=60/);
  caller.abort();
  expect(await waiting).toBe('went away');
  expect((await lines.next()).value).toBe('gone');
});

test('a server that stops answers a wait with what is known by then', async () => {
  await gateway();
  const last = (await server.ask('GET', `${agent}/gateway/events?limit=200`)).body.next_after;
  const waiting = server.ask('GET', `${agent}/gateway/events?after=${last}&wait_seconds=60`);
  await server.ask('GET', `${agent}/gateway/control/queue`);
  await server.close();
  expect(await waiting).toMatchObject({ status: 200, body: { events: [], next_after: last } });
});

test('a gateway that was started again is found at once', async () => {
  const first = await gateway();
  await server.ask('GET', `${agent}/gateway/control/queue`);
  await first.stop();
  await gateway();
  expect((await server.ask('GET', `${agent}/gateway/control/queue`)).status).toBe(200);
});
