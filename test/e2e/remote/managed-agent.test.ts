import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { becomeServerManaged } from '../../contract/support/edit-manifest.js';
import { serve, serveEach } from '../../contract/support/served.js';
import { type AgentServer, startAgentServer } from '../../support/agent-server.js';

const usual = {
  agentId: 'agent-1',
  available: true,
  turnEnds: 'completed',
  turnError: null,
  turnMilliseconds: 0,
  obeysInterrupts: true,
  namesTurns: true,
  keepsRecords: true,
  faults: {},
};

const posts = async (server: AgentServer) => (await server.calls()).filter(({ method }) => method === 'POST');

/** Waits until the server was asked to run a prompt. */
const asked = (server: AgentServer, prompt: string) =>
  expect.poll(async () => (await posts(server)).map(({ body }) => body?.prompt)).toContain(prompt);

const ready = ({ terminal_surface_eligibility }: Record<string, unknown>) =>
  terminal_surface_eligibility === 'ready';

/** The promises of a gateway whichever way its server takes prompts. */
describe.each([
  ['takes prompts as requests', 'houmao-server', '/houmao/agents/agent-1/requests'],
  ['runs whole turns', 'houmao-passive-server', '/houmao/agents/agent-1/gateway/internal/headless-prompt'],
])('an agent on a server that %s', (_how, service, path) => {
  let server: AgentServer;
  beforeAll(async () => {
    server = await startAgentServer();
    await server.behave({ service });
  });
  afterAll(() => server.kill());
  const served = serve(({ paths }) => becomeServerManaged(paths, server.url));
  beforeEach(async () => {
    await server.behave(usual);
    await server.finish();
    await served.statusWhen(ready);
  });

  test('is seen through its server', async () => {
    expect((await served.ask('GET', '/v1/status')).body).toMatchObject({
      backend: 'claude_headless',
      managed_agent_connectivity: 'connected',
      request_admission: 'open',
      managed_agent_instance_id: 'agent-1',
    });
  });

  test('answers a prompt, with delivery confirmed by the server', async () => {
    const { body } = await served.prompt('Hello', { execution: { model: { name: 'm', reasoning: null } } });
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({
      state: 'completed',
      turn: {
        outcome: 'completed',
        exit_code: 0,
        delivery: { state: 'confirmed', evidence: expect.stringContaining('the server') },
        answer: { text: 'Echo: Hello', truncated: false },
      },
    });
    const sent = (await posts(server)).at(-1);
    expect(sent).toMatchObject({ path, body: { prompt: 'Hello', execution: { model: { name: 'm' } } } });
  });

  test.each([
    ['failed', 'API Error: 529 Overloaded', { state: 'failed', error: { code: 'api_error' } }],
    ['failed', null, { state: 'failed', error: { code: 'agent_failed' } }],
    ['interrupted', null, { state: 'failed', error: { code: 'interrupted' } }],
  ])('ends as the server says: %s, %s', async (turnEnds, turnError, end) => {
    await server.behave({ turnEnds, turnError });
    const { body } = await served.prompt('x');
    expect(await served.final(body.request_id)).toMatchObject(end);
  });

  test('keeps admission open while its server is busy, and sends nothing until it is not', async () => {
    await server.behave({ turnMilliseconds: null });
    const first = await served.prompt('first');
    await asked(server, 'first');
    await served.statusWhen(
      ({ terminal_surface_eligibility }) => terminal_surface_eligibility === 'not_ready',
    );
    const second = await served.prompt('second');
    expect(second.status).toBe(202);
    const direct = await served.ask('POST', '/v1/control/prompt', { prompt: 'third' });
    expect([direct.status, direct.body.detail.error_code]).toEqual([409, 'not_ready']);
    // Before the first one ends: the second is sent as soon as it has.
    await server.behave({ turnMilliseconds: 0 });
    await server.finish();
    expect(await served.final(first.body.request_id)).toMatchObject({ state: 'completed' });
    expect(await served.final(second.body.request_id)).toMatchObject({ state: 'completed' });
  });

  test('is interrupted by its server; the record says so', async () => {
    await server.behave({ turnMilliseconds: null });
    const { body } = await served.prompt('long');
    await asked(server, 'long');
    const interrupt = await served.interrupt();
    expect(await served.final(interrupt.body.request_id)).toMatchObject({
      state: 'completed',
      result: { outcome: 'stopped', signal: null },
    });
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted' },
    });
  });

  test('has nothing to interrupt when its server says so', async () => {
    const { body } = await served.interrupt();
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'completed',
      result: { outcome: 'no_op', turn_id: null },
    });
  });

  test('does not claim that an interrupt worked that its server refused; the turn goes on', async () => {
    await server.behave({ turnMilliseconds: null });
    const { body } = await served.prompt('stubborn');
    await asked(server, 'stubborn');
    await server.behave({ faults: { '/requests': { status: 503, text: '{"detail":"no controller"}' } } });
    const interrupt = await served.interrupt();
    expect(await served.final(interrupt.body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'peer_refused', detail: expect.stringContaining('no controller') },
    });
    expect((await served.ask('GET', `/v1/requests/${body.request_id}`)).body.state).toBe('running');
    await server.finish();
    expect(await served.final(body.request_id)).toMatchObject({ state: 'completed' });
  });

  test('takes a direct prompt only at the word of its server', async () => {
    await server.behave({ turnMilliseconds: null });
    const sent = await served.ask('POST', '/v1/control/prompt', { prompt: 'now' });
    expect([sent.status, sent.body.sent]).toEqual([200, true]);
    const turnId = sent.headers.get('x-houmao-turn-id')!;
    await server.finish();
    expect(await served.ended(turnId)).toMatchObject({
      outcome: 'completed',
      delivery: { state: 'confirmed' },
      answer: { text: 'Echo: now' },
    });
    const ending = path.slice(path.lastIndexOf('/'));
    await server.behave({ faults: { [ending]: { status: 503, text: '{"detail":"no controller"}' } } });
    const refused = await served.ask('POST', '/v1/control/prompt', { prompt: 'never' });
    expect([refused.status, refused.body.detail]).toMatchObject([
      422,
      { error_code: 'dispatch_failed', sent: false, detail: expect.stringContaining('no controller') },
    ]);
  });

  test.each([
    ['answers rubbish', { status: 200, text: 'no json' }, 'peer_invalid_answer', 'unconfirmed'],
    ['ends the connection', 'cut', 'peer_lost', 'unconfirmed'],
    ['meets a fault', { status: 502, text: 'Bad Gateway' }, 'peer_failed', 'unconfirmed'],
    ['refuses', { status: 422, text: '{"detail":"busy"}' }, 'peer_refused', 'failed'],
  ])('claims nothing when the server %s', async (_how, fault, code, state) => {
    const ending = path.slice(path.lastIndexOf('/'));
    await server.behave({ faults: { [ending]: fault } });
    const { body } = await served.prompt('x');
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code },
      turn: { delivery: { state } },
    });
  });

  test('is another one when its server names another: what waits stays until it is settled', async () => {
    await server.behave({ agentId: `agent-${service}` });
    await served.statusWhen(({ request_admission }) => request_admission === 'blocked_reconciliation');
    expect((await served.ask('POST', '/v1/control/reconcile', { action: 'discard' })).status).toBe(200);
    await server.behave({ agentId: 'agent-1' });
    await served.statusWhen(({ request_admission }) => request_admission === 'blocked_reconciliation');
    expect((await served.ask('POST', '/v1/control/reconcile', { action: 'adopt' })).status).toBe(200);
  });

  test('is unavailable when its server says so, and when it is killed; both in words', async () => {
    await server.behave({ available: false });
    await served.statusWhen(({ request_admission }) => request_admission === 'blocked_unavailable');
    expect((await served.prompt('x')).body.detail).toContain('reports its agent as unavailable');
    await server.behave({ available: true, turnMilliseconds: null });
    await served.statusWhen(ready);
    const { body } = await served.prompt('cut off');
    await asked(server, 'cut off');
    const port = Number(new URL(server.url).port);
    await server.kill();
    await served.statusWhen(({ request_admission }) => request_admission === 'blocked_unavailable');
    // The server comes back and knows nothing of the turn: its outcome is unknown.
    server = await startAgentServer(port);
    await server.behave({ service });
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'peer_lost' },
    });
    await served.statusWhen(ready);
    const { body: next } = await served.prompt('after');
    expect(await served.final(next.request_id)).toMatchObject({ state: 'completed' });
  });
});

describe('an agent on a server that takes prompts as requests', () => {
  let server: AgentServer;
  beforeEach(async () => {
    server = await startAgentServer();
  });
  afterEach(() => server.kill());
  const served = serveEach(({ paths }) => becomeServerManaged(paths, server.url));

  test('takes no choice of the conversation to continue: the prompt fails and was not sent', async () => {
    const { body } = await served.prompt('x', { chat_session: { mode: 'new' } });
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'invalid_chat_session' },
      turn: { delivery: { state: 'failed' } },
    });
    expect(await posts(server)).toEqual([]);
  });

  test('fails a prompt whose turn the server does not name: its end cannot be known', async () => {
    await server.behave({ namesTurns: false });
    const { body } = await served.prompt('x');
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'no_result' },
      turn: { delivery: { state: 'unconfirmed' } },
    });
  });

  test('ends its turn on the server when the gateway is stopped', async () => {
    await server.behave({ turnMilliseconds: null });
    const { body } = await served.prompt('endless');
    await asked(server, 'endless');
    await served.restart();
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted' },
    });
    expect((await posts(server)).at(-1)?.body).toEqual({ request_kind: 'interrupt' });
  });
});

describe('an agent on a server that runs whole turns', () => {
  let server: AgentServer;
  beforeEach(async () => {
    server = await startAgentServer();
    await server.behave({ service: 'houmao-passive-server' });
  });
  afterEach(() => server.kill());
  const served = serveEach(({ paths }) => becomeServerManaged(paths, server.url));

  test('gets the turn id and the conversation, the next-prompt override included', async () => {
    const { body } = await served.prompt('x', {
      turn_id: 'my-turn',
      chat_session: { mode: 'exact', id: 's-1' },
    });
    await served.final(body.request_id);
    expect((await posts(server)).at(-1)?.body).toEqual({
      prompt: 'x',
      turn_id: 'my-turn',
      chat_session: { mode: 'exact', id: 's-1' },
    });
    const override = { mode: 'new' };
    await served.ask('POST', '/v1/control/headless/next-prompt-session', override);
    const sent = await served.ask('POST', '/v1/control/prompt', { prompt: 'fresh' });
    await served.ended(sent.headers.get('x-houmao-turn-id')!);
    expect((await posts(server)).at(-1)?.body).toMatchObject({ prompt: 'fresh', chat_session: override });
    const { body: state } = await served.ask('GET', '/v1/control/headless/state');
    expect(state.chat_session.next_prompt_override).toBeNull();
  });

  test('counts the word of the server that a turn is over also without a record of it', async () => {
    await server.behave({ keepsRecords: false });
    const { body } = await served.prompt('x');
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'completed',
      turn: { delivery: { state: 'confirmed' }, answer: null },
    });
  });
});
