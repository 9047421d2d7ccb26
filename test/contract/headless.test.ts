import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { becomeTerminal, editManifest } from './support/edit-manifest.js';
import { serve } from './support/served.js';

describe('headless control of an agent that was never asked anything', () => {
  const served = serve();

  test('says what an idle agent can do', async () => {
    const { status, body } = await served.ask('GET', '/v1/control/headless/state');
    expect(status).toBe(200);
    expect(body).toEqual({
      schema_version: 1,
      runtime_resumable: true,
      tmux_session_live: true,
      can_accept_prompt_now: true,
      interruptible: false,
      chat_session: {
        current: null,
        startup_default: { mode: 'new', id: null },
        next_prompt_override: null,
      },
      request_admission: 'open',
      active_execution: 'idle',
      queue_depth: 0,
      active_turn_id: null,
    });
  });
});

describe('headless control', () => {
  const served = serve();
  const state = async () => (await served.ask('GET', '/v1/control/headless/state')).body;
  const startAfresh = (body: unknown = { mode: 'new' }) =>
    served.ask('POST', '/v1/control/headless/next-prompt-session', body);
  const direct = async (chat_session?: object) => {
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: 'hello', chat_session });
    return (await served.ended(headers.get('x-houmao-turn-id') ?? '')).provider_session_id;
  };

  test('names the running turn, and what the manifest pinned after it', async () => {
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: '[[slow=60000]] busy' });
    const turnId = headers.get('x-houmao-turn-id') ?? '';
    expect(await state()).toMatchObject({
      can_accept_prompt_now: false,
      interruptible: true,
      active_execution: 'running',
      active_turn_id: turnId,
    });
    const queued = await served.prompt('[[slow=60000]] next', { turn_id: 'next-one' });
    expect(await state()).toMatchObject({ queue_depth: 1, active_turn_id: turnId });
    await served.interrupt();
    await served.ended(turnId);
    await expect
      .poll(async () => (await served.ask('GET', '/v1/turns/next-one')).body.delivery?.state)
      .toBe('confirmed');
    expect((await state()).active_turn_id).toBe('next-one');
    await served.interrupt();
    const { turn } = await served.final(queued.body.request_id);
    expect((await state()).chat_session.current).toEqual({ id: turn.provider_session_id });
  });

  test('shows each start-up default', async () => {
    const configure = (kind: string, value: string | null) =>
      editManifest(served.session.paths, ({ headless }) => {
        headless.resume_selection_kind = kind;
        headless.resume_selection_value = value;
      });
    for (const [kind, value, shown] of [
      ['last', null, { mode: 'tool_last_or_new', id: null }],
      ['exact', 'conversation-1', { mode: 'exact', id: 'conversation-1' }],
      ['none', null, { mode: 'new', id: null }],
    ] as const) {
      configure(kind, value);
      expect((await state()).chat_session.startup_default).toEqual(shown);
    }
  });

  test('keeps the override until an automatic direct prompt, and only then', async () => {
    const pinned = await direct();
    const { status, body } = await startAfresh();
    expect([status, body.chat_session.next_prompt_override]).toEqual([200, { mode: 'new' }]);
    expect(body).toEqual(await state());

    const { request_id } = (await served.prompt('queued')).body;
    expect((await served.final(request_id)).turn.provider_session_id).toBe(pinned);
    expect(await direct({ mode: 'current' })).toBe(pinned);
    expect(await direct({ mode: 'exact', id: pinned })).toBe(pinned);
    await served.ask('POST', '/v1/control/prompt', {
      prompt: 'x',
      execution: { model: { reasoning: { level: 0 } } },
    });
    expect((await state()).chat_session.next_prompt_override).toEqual({ mode: 'new' });

    const fresh = await direct({ mode: 'auto' });
    expect(fresh).not.toBe(pinned);
    expect((await state()).chat_session.next_prompt_override).toBeNull();
    expect(await direct()).toBe(fresh);
  });

  test('consumes the override with a forced prompt too, and forgets it in a restart', async () => {
    await startAfresh();
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: 'x', force: true });
    await served.ended(headers.get('x-houmao-turn-id') ?? '');
    expect((await state()).chat_session.next_prompt_override).toBeNull();
    await startAfresh();
    await served.restart();
    expect((await state()).chat_session.next_prompt_override).toBeNull();
  });

  test.each([
    [{}, 'missing', ['body', 'mode']],
    [{ mode: 'auto' }, 'literal_error', ['body', 'mode']],
    [{ mode: 'new', id: 'x' }, 'extra_forbidden', ['body', 'id']],
    [{ mode: 'new', schema_version: 0 }, 'literal_error', ['body', 'schema_version']],
  ])('refuses %j', async (body, type, loc) => {
    const answer = await startAfresh(body);
    expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ type, loc })]]);
  });

  test('is 422 while the manifest has no headless section', async () => {
    const kept = readFileSync(served.session.paths.manifest);
    editManifest(served.session.paths, (manifest) => {
      manifest.headless = null;
    });
    for (const answer of [await served.ask('GET', '/v1/control/headless/state'), await startAfresh()])
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        'The session manifest has no headless section.',
      ]);
    writeFileSync(served.session.paths.manifest, kept);
    expect((await state()).chat_session.next_prompt_override).toBeNull();
  });

  test('is 503 while the manifest cannot be read, and stores nothing then', async () => {
    const kept = readFileSync(served.session.paths.manifest);
    writeFileSync(served.session.paths.manifest, '{"schema_version": 4}');
    expect((await served.ask('GET', '/v1/control/headless/state')).status).toBe(503);
    expect((await startAfresh()).status).toBe(503);
    writeFileSync(served.session.paths.manifest, kept);
    expect((await state()).chat_session.next_prompt_override).toBeNull();
  });
});

describe('on an agent in a terminal', () => {
  const served = serve(({ paths }) => becomeTerminal(paths));

  test('both routes are 422', async () => {
    const answers = [
      await served.ask('GET', '/v1/control/headless/state'),
      await served.ask('POST', '/v1/control/headless/next-prompt-session', { mode: 'new' }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.detail]).toEqual([422, expect.stringContaining('local_interactive')]);
    }
  });
});
