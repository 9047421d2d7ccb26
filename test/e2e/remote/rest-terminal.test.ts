import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { becomeRest, editManifest } from '../../contract/support/edit-manifest.js';
import { serve, serveEach } from '../../contract/support/served.js';
import { type AgentServer, startAgentServer } from '../../support/agent-server.js';

const usual = {
  terminalStatus: 'idle',
  statusAfterInput: 'processing',
  inputSucceeds: true,
  exitSucceeds: true,
  faults: {},
};

/** The acts on its terminal that the server was asked for. */
const acts = async (server: AgentServer) =>
  (await server.calls())
    .filter(({ method }) => method === 'POST')
    .map(({ path, query }) => [path, query.message]);

describe.each([
  ['cao_rest', ''],
  ['houmao_server_rest', '/cao'],
] as const)('an agent of backend %s', (backend, prefix) => {
  let server: AgentServer;
  beforeAll(async () => {
    server = await startAgentServer();
  });
  afterAll(() => server.kill());
  const served = serve(({ paths }) => becomeRest(paths, server.url, backend));
  beforeEach(async () => {
    await server.behave(usual);
    // A reminder's turn may still run when its test is over.
    await served.statusWhen(
      ({ terminal_surface_eligibility, active_execution }) =>
        terminal_surface_eligibility === 'ready' && active_execution === 'idle',
    );
  });

  test('is seen through its server', async () => {
    expect((await served.ask('GET', '/v1/status')).body).toMatchObject({
      backend,
      managed_agent_connectivity: 'connected',
      request_admission: 'open',
      managed_agent_instance_id: 'term-123',
    });
    const attach = JSON.parse(readFileSync(served.session.paths.attach, 'utf8'));
    expect(attach.backend_metadata).toMatchObject({ api_base_url: server.url, terminal_id: 'term-123' });
  });

  test('gets a prompt as its server takes it, and delivery is confirmed by what the terminal does', async () => {
    const { body } = await served.prompt('Grüße & <b>', {});
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({
      state: 'completed',
      turn: {
        outcome: 'completed',
        delivery: { state: 'confirmed', evidence: expect.stringContaining('status=processing') },
      },
    });
    expect(await acts(server)).toContainEqual([`${prefix}/terminals/term-123/input`, 'Grüße & <b>']);
  });

  test('is not typed into while it works: the prompt waits and says why', async () => {
    await server.behave({ terminalStatus: 'processing' });
    await served.statusWhen((status) => status.terminal_surface_eligibility === 'not_ready');
    const before = (await acts(server)).length;
    const { status, body } = await served.prompt('later');
    expect(status).toBe(202);
    const waiting = await served.ask('GET', `/v1/requests/${body.request_id}?wait_seconds=1`);
    expect(waiting.body).toMatchObject({ state: 'accepted', waiting_reason: { code: 'not_ready' } });
    expect(await acts(server)).toHaveLength(before);
    await server.behave({ terminalStatus: 'completed' });
    expect(await served.final(body.request_id)).toMatchObject({ state: 'completed' });
  });

  test('refuses a direct prompt while it works, unless forced', async () => {
    await server.behave({ terminalStatus: 'waiting_user_answer' });
    await served.statusWhen((status) => status.terminal_surface_eligibility === 'not_ready');
    const refused = await served.ask('POST', '/v1/control/prompt', { prompt: 'now' });
    expect([refused.status, refused.body.detail]).toMatchObject([
      409,
      { error_code: 'not_ready', sent: false, detail: expect.stringContaining('not_ready') },
    ]);
    const forced = await served.ask('POST', '/v1/control/prompt', { prompt: 'now', force: true });
    expect([forced.status, forced.body.sent]).toEqual([200, true]);
    expect((await acts(server)).at(-1)).toEqual([`${prefix}/terminals/term-123/input`, 'now']);
  });

  test('starts a fresh conversation for a direct prompt that asks for one', async () => {
    await server.behave({ statusAfterInput: 'completed' });
    const sent = await served.ask('POST', '/v1/control/prompt', {
      prompt: 'hello',
      chat_session: { mode: 'new' },
    });
    expect(sent.status).toBe(200);
    expect((await acts(server)).slice(-2)).toEqual([
      [`${prefix}/terminals/term-123/input`, '/clear'],
      [`${prefix}/terminals/term-123/input`, 'hello'],
    ]);
  });

  test('completes unconfirmed where the server took the prompt and its terminal shows nothing', async () => {
    await server.behave({ terminalStatus: null });
    const { body } = await served.prompt('quiet');
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'completed',
      turn: { delivery: { state: 'unconfirmed', evidence: expect.stringContaining('does not report') } },
    });
  });

  test('fails a prompt that the server did not get into its terminal', async () => {
    await server.behave({ inputSucceeds: false });
    const { body } = await served.prompt('lost');
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'peer_refused', detail: expect.stringContaining('success=false') },
      turn: { delivery: { state: 'failed' } },
    });
    // The server may still be busy with what came before.
    const direct = () => served.ask('POST', '/v1/control/prompt', { prompt: 'lost too' });
    await expect.poll(async () => (await direct()).body.detail.error_code).toBe('dispatch_failed');
  });

  test.each([
    ['answers rubbish', { status: 200, text: '<html>' }, 'peer_invalid_answer', 'unconfirmed'],
    [
      'answers another shape',
      { status: 200, text: '{"success":"yes"}' },
      'peer_invalid_answer',
      'unconfirmed',
    ],
    ['ends the connection', 'cut', 'peer_lost', 'unconfirmed'],
    ['meets a fault', { status: 500, text: '{"detail":"tmux is gone"}' }, 'peer_failed', 'unconfirmed'],
    ['refuses', { status: 409, text: '{"detail":"no such window"}' }, 'peer_refused', 'failed'],
  ])('claims nothing when the server %s', async (_how, fault, code, delivery) => {
    await server.behave({ faults: { '/input': fault } });
    const { body } = await served.prompt('x');
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({
      state: 'failed',
      error: { code },
      turn: { delivery: { state: delivery } },
    });
    await server.behave({ faults: {} });
    const { body: next } = await served.prompt('y');
    expect(await served.final(next.request_id)).toMatchObject({ state: 'completed' });
  });

  test('interrupts what the terminal does, whether or not the gateway sent it', async () => {
    await server.behave({ terminalStatus: 'processing' });
    const { body } = await served.interrupt();
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'completed',
      result: { outcome: 'stopped', turn_id: null, signal: null },
    });
    expect((await acts(server)).at(-1)?.[0]).toBe(`${prefix}/terminals/term-123/exit`);
    await server.behave({ exitSucceeds: false });
    const failed = await served.interrupt();
    expect(await served.final(failed.body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'peer_refused' },
    });
  });

  test.each([
    ['payload.chat_session', { chat_session: { mode: 'new' } }],
    ['payload.execution', { execution: { model: { name: 'm' } } }],
  ])('refuses %s of a queued prompt', async (field, payload) => {
    const { status, body } = await served.prompt('x', payload);
    expect([status, body.detail]).toEqual([422, expect.stringContaining(field)]);
  });

  test('says by code what a direct prompt may not ask', async () => {
    const chat = await served.ask('POST', '/v1/control/prompt', {
      prompt: 'x',
      chat_session: { mode: 'current' },
    });
    expect([chat.status, chat.body.detail.error_code]).toEqual([422, 'invalid_chat_session']);
    const model = await served.ask('POST', '/v1/control/prompt', {
      prompt: 'x',
      execution: { model: { name: 'm' } },
    });
    expect([model.status, model.body.detail.error_code]).toEqual([422, 'invalid_execution']);
  });

  test('delivers prompt reminders when it is ready, and takes none of keys', async () => {
    await server.behave({ terminalStatus: 'processing' });
    await served.statusWhen((status) => status.terminal_surface_eligibility === 'not_ready');
    const reminder = {
      mode: 'one_off',
      title: 't',
      prompt: 'remember',
      ranking: 0,
      start_after_seconds: 0.1,
    };
    expect((await served.ask('POST', '/v1/reminders', { reminders: [reminder] })).status).toBe(200);
    const listed = async () => (await served.ask('GET', '/v1/reminders')).body.reminders;
    await expect.poll(async () => (await listed())[0].delivery_state).toBe('overdue');
    const messages = async () => (await acts(server)).map(([, message]) => message);
    expect(await messages()).not.toContain('remember');
    await server.behave({ terminalStatus: 'idle' });
    await expect.poll(messages).toContain('remember');
    const keys = {
      mode: 'one_off',
      title: 't',
      send_keys: { sequence: 'x' },
      ranking: 0,
      start_after_seconds: 1,
    };
    expect((await served.ask('POST', '/v1/reminders', { reminders: [keys] })).status).toBe(422);
  });
});

describe.each([
  ['cao_rest', ''],
  ['houmao_server_rest', '/cao'],
] as const)('an agent of backend %s that moves', (backend, prefix) => {
  let server: AgentServer;
  beforeAll(async () => {
    server = await startAgentServer();
  });
  afterAll(() => server.kill());
  const served = serve(({ paths }) => becomeRest(paths, server.url, backend));

  test('is another one when the manifest names another terminal: admission closes until it is settled', async () => {
    editManifest(served.session.paths, (manifest) => {
      manifest.gateway_authority.control.terminal_id = 'term-456';
    });
    await served.statusWhen((status) => status.managed_agent_instance_id === 'term-456');
    expect((await served.prompt('x')).status).toBe(409);
    expect((await served.ask('POST', '/v1/control/reconcile', { action: 'adopt' })).status).toBe(200);
    const { body } = await served.prompt('for the new one');
    expect(await served.final(body.request_id)).toMatchObject({ state: 'completed' });
    expect((await acts(server)).at(-1)?.[0]).toBe(`${prefix}/terminals/term-456/input`);
  });
});

describe('an agent whose server is', () => {
  let server: AgentServer;
  beforeEach(async () => {
    server = await startAgentServer();
  });
  afterEach(() => server.kill());
  const served = serveEach(({ paths }) => becomeRest(paths, server.url));

  test('killed in the middle of a prompt: nothing is claimed, and what comes later waits until it is back', async () => {
    await server.behave({ faults: { '/input': 'hang' } });
    const { body } = await served.prompt('x');
    await expect.poll(() => acts(server)).toHaveLength(1);
    const port = Number(new URL(server.url).port);
    await server.kill();
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'failed',
      error: { code: 'peer_lost' },
      turn: { delivery: { state: 'unconfirmed' } },
    });
    await served.statusWhen((status) => status.request_admission === 'blocked_unavailable');
    const refused = await served.prompt('y');
    expect([refused.status, refused.body.detail]).toEqual([
      503,
      expect.stringContaining('cannot be reached'),
    ]);
    server = await startAgentServer(port);
    await served.statusWhen((status) => status.request_admission === 'open');
    const { body: later } = await served.prompt('z');
    expect(await served.final(later.request_id)).toMatchObject({ state: 'completed' });
    expect(await acts(server)).toEqual([['/terminals/term-123/input', 'z']]);
  });

  test('stopped: the gateway says so within its patience and answers everything else meanwhile', async () => {
    server.child.kill('SIGSTOP');
    try {
      const status = await served.statusWhen(({ request_admission }) => request_admission !== 'open');
      expect(status).toMatchObject({ managed_agent_connectivity: 'unavailable' });
      expect((await served.ask('GET', '/health')).status).toBe(200);
      expect((await served.prompt('x')).body.detail).toMatch(/gave no answer within 5 s/);
    } finally {
      server.child.kill('SIGCONT');
    }
    await served.statusWhen(({ request_admission }) => request_admission === 'open');
  });

  test.each([
    ['answering rubbish', { status: 200, text: 'no json' }, 'is not JSON'],
    [
      'without that terminal',
      { status: 404, text: '{"detail":"Terminal not found"}' },
      'answered 404: Terminal not found',
    ],
  ])('%s: unavailable, in words', async (_how, fault, words) => {
    await served.statusWhen(({ request_admission }) => request_admission === 'open');
    await server.behave({ faults: { '/terminals/term-123': fault } });
    await served.statusWhen(({ request_admission }) => request_admission !== 'open');
    const refused = await served.prompt('x');
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining(words)]);
    const direct = await served.ask('POST', '/v1/control/prompt', { prompt: 'x' });
    expect([direct.status, direct.body.detail.error_code]).toEqual([503, 'unavailable']);
  });
});
