import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionPaths } from '../../../../src/session/session-paths.js';
import {
  becomeBackend,
  becomeTerminal,
  bindMailServer,
  editManifest,
} from '../../../contract/support/edit-manifest.js';
import { type IdleGateway, idleGateway } from '../../../support/idle-gateway.js';

/** Every answer is held against the contract; one that breaks it would be a 500 here. */
let idle: IdleGateway;
const ask: IdleGateway['ask'] = (...given) => idle.ask(...given);
const open = (change?: (paths: SessionPaths) => void, host?: '127.0.0.1' | '0.0.0.0') => {
  beforeEach(async () => {
    idle = await idleGateway(change, host);
  });
  afterEach(async () => {
    expect(idle.faults).toEqual([]);
    await idle.close();
  });
};

const prompt = (text: string) => ({ kind: 'submit_prompt', payload: { prompt: text } });
const reminder = (given: object = {}) => ({
  mode: 'one_off',
  title: 't',
  prompt: 'p',
  ranking: 0,
  start_after_seconds: 60,
  ...given,
});
const keys = { send_keys: { sequence: 'k' }, prompt: undefined };
const reported = async (asked: ReturnType<typeof ask>) => {
  const { status, body } = await asked;
  return [status, body.detail];
};

describe('a headless agent', () => {
  open();

  test('is described by health, status, headless state and queue', async () => {
    expect((await ask('GET', '/health')).body).toEqual({ protocol_version: 'v1', status: 'ok' });
    expect((await ask('GET', '/v1/status')).body).toMatchObject({
      request_admission: 'open',
      managed_agent_connectivity: 'connected',
      queue_depth: 0,
    });
    expect((await ask('GET', '/v1/control/queue')).body).toEqual({
      schema_version: 1,
      paused: false,
      queue_depth: 0,
      next_request_id: null,
      fault: null,
    });
    expect((await ask('GET', '/v1/control/headless/state')).body).toMatchObject({
      chat_session: { next_prompt_override: null },
    });
  });

  test('keeps its queue: a prompt is accepted, seen, listed page by page, and cancelled', async () => {
    const first = await ask('POST', '/v1/requests', prompt('one'), { 'idempotency-key': 'a-key' });
    const { request_id } = first.body;
    expect([first.status, first.headers.get('location'), first.headers.get('idempotency-replayed')]).toEqual([
      ...[202, `/v1/requests/${request_id}`, null],
    ]);
    const again = await ask('POST', '/v1/requests', prompt('one'), { 'idempotency-key': 'a-key' });
    expect([again.body.request_id, again.headers.get('idempotency-replayed')]).toEqual([request_id, 'true']);
    const second = (await ask('POST', '/v1/requests', prompt('two'))).body.request_id;
    expect((await ask('GET', `/v1/requests/${request_id}`)).body).toMatchObject({ state: 'accepted' });
    expect((await ask('GET', '/v1/control/queue')).body).toMatchObject({
      queue_depth: 2,
      next_request_id: request_id,
    });
    const page = (await ask('GET', '/v1/requests?limit=1')).body;
    expect(page.requests.map((one: { request_id: string }) => one.request_id)).toEqual([second]);
    const rest = (await ask('GET', `/v1/requests?cursor=${page.next_cursor}`)).body;
    expect(rest.requests.map((one: { request_id: string }) => one.request_id)).toEqual([request_id]);
    expect(rest.next_cursor).toBeNull();
    const cancelled = await ask('DELETE', `/v1/requests/${request_id}`);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await ask('GET', '/v1/requests?state=cancelled')).body.requests).toHaveLength(1);
    expect((await ask('DELETE', `/v1/requests/${request_id}`)).body).toEqual(cancelled.body);
  });

  test('knows no request, turn or reminder that it was not given', async () => {
    expect(await reported(ask('GET', '/v1/requests/gwreq-0'))).toEqual([
      404,
      'No request `gwreq-0` on this gateway.',
    ]);
    expect(await reported(ask('DELETE', '/v1/requests/gwreq-0'))).toEqual([
      404,
      'No request `gwreq-0` on this gateway.',
    ]);
    expect(await reported(ask('GET', '/v1/turns/turn-0'))).toEqual([
      404,
      'No turn `turn-0` on this gateway.',
    ]);
    for (const path of ['/v1/requests/mreq-0', '/v1/turns/mreq-0'])
      expect(await reported(ask('GET', path))).toEqual([404, expect.stringContaining('id is for logs')]);
    expect(await reported(ask('GET', '/v1/reminders/r'))).toEqual([404, 'No reminder `r` on this gateway.']);
    expect(await reported(ask('DELETE', '/v1/reminders/r'))).toEqual([
      404,
      'No reminder `r` on this gateway.',
    ]);
    expect(await reported(ask('PUT', '/v1/reminders/r', reminder()))).toEqual([
      404,
      'No reminder `r` on this gateway.',
    ]);
  });

  test('names the field of a cursor that is none', async () => {
    const { status, body } = await ask('GET', '/v1/requests?cursor=x');
    expect([status, body.detail[0]]).toEqual([
      422,
      {
        type: 'value_error',
        loc: ['query', 'cursor'],
        input: 'x',
        ctx: { error: 'must be the next_cursor of an earlier page' },
        msg: 'must be the next_cursor of an earlier page',
      },
    ]);
  });

  test('tells its events in pages, and of a number that the record does not hold', async () => {
    await ask('POST', '/v1/requests', prompt('one'));
    const { events, next_after } = (await ask('GET', '/v1/events?limit=1')).body;
    expect([events.length, next_after]).toEqual([1, events[0].seq]);
    expect((await ask('GET', '/v1/events')).body.events.at(-1)).toMatchObject({ kind: 'accepted' });
    const last = (await ask('GET', '/v1/events')).body.next_after;
    expect((await ask('GET', `/v1/events?after=${last}`)).body).toMatchObject({
      events: [],
      next_after: last,
    });
    expect(await reported(ask('GET', '/v1/events?after=1000'))).toEqual([
      410,
      expect.stringMatching(new RegExp(` 1000: .* ${last}\\.`)),
    ]);
  });

  test('pauses and resumes its queue, and has nothing to reconcile', async () => {
    expect((await ask('PUT', '/v1/control/queue', { paused: true })).body.paused).toBe(true);
    expect((await ask('PUT', '/v1/control/queue', { paused: false })).body.paused).toBe(false);
    expect((await ask('POST', '/v1/control/reconcile', { action: 'adopt' })).body).toEqual({
      status: 'ok',
      action: 'reconcile',
      adopted: 0,
      discarded: 0,
      managed_agent_instance_epoch: 1,
    });
  });

  test('refuses a prompt that comes too early, with the values that keep it back', async () => {
    await ask('POST', '/v1/requests', prompt('one'));
    expect(await reported(ask('POST', '/v1/control/prompt', { prompt: 'now', force: false }))).toEqual([
      409,
      {
        status: 'error',
        action: 'submit_prompt',
        sent: false,
        forced: false,
        error_code: 'not_ready',
        detail: expect.stringMatching(/ busy \(queue_depth=1\)\.$/),
      },
    ]);
  });

  test('takes no keys, in a reminder neither, and has no screen', async () => {
    expect(await reported(ask('POST', '/v1/control/send-keys', { sequence: 'k' }))).toEqual([
      422,
      'The agent runs headless: it has no terminal of its own.',
    ]);
    const none =
      'send_keys reminders are unsupported for backend claude_headless: it has no terminal of its own.';
    expect(await reported(ask('POST', '/v1/reminders', { reminders: [reminder(), reminder(keys)] }))).toEqual(
      [...[422, none]],
    );
    const made = await ask('POST', '/v1/reminders', { reminders: [reminder()] });
    const [{ reminder_id }] = made.body.reminders;
    expect(await reported(ask('PUT', `/v1/reminders/${reminder_id}`, reminder(keys)))).toEqual([422, none]);
    for (const path of ['/v1/control/tui/state', '/v1/control/tui/history'])
      expect(await reported(ask('GET', path))).toEqual([
        422,
        'The agent runs headless: it has no terminal of its own.',
      ]);
  });

  test('keeps reminders: they are made, listed, changed and deleted', async () => {
    const made = await ask('POST', '/v1/reminders', { reminders: [reminder(), reminder({ ranking: -1 })] });
    const [second, first] = made.body.reminders.map((one: { reminder_id: string }) => one.reminder_id);
    expect((await ask('GET', '/v1/reminders')).body).toMatchObject({
      effective_reminder_id: first,
      reminders: [{ reminder_id: first }, { reminder_id: second, blocked_by_reminder_id: first }],
    });
    const changed = await ask('PUT', `/v1/reminders/${second}`, reminder({ title: 'new', ranking: -2 }));
    expect(changed.body).toMatchObject({ title: 'new', selection_state: 'effective' });
    expect((await ask('GET', `/v1/reminders/${first}`)).body.selection_state).toBe('blocked');
    expect((await ask('DELETE', `/v1/reminders/${second}`)).body).toEqual({
      schema_version: 1,
      status: 'ok',
      action: 'delete_reminder',
      reminder_id: second,
      deleted: true,
      detail: 'Deleted the reminder.',
    });
    const many = Array.from({ length: 100 }, () => reminder());
    for (const _hundred of [1, 2]) await ask('POST', '/v1/reminders', { reminders: many });
    expect(await reported(ask('POST', '/v1/reminders', { reminders: many }))).toEqual([
      422,
      expect.stringContaining('250 reminders'),
    ]);
  });

  test('has no mailbox: mail and its notifier say so', async () => {
    expect(await reported(ask('GET', '/v1/mail/status'))).toEqual([
      422,
      expect.stringMatching(/ \(no mailbox binding in .*mailbox register \S+ --mailbox-root <root>$/),
    ]);
    expect((await ask('GET', '/v1/mail-notifier')).body).toMatchObject({ enabled: false, supported: false });
    expect((await ask('DELETE', '/v1/mail-notifier')).body).toMatchObject({ enabled: false });
  });

  test('is asked once for a fresh conversation, and says so until a prompt took it', async () => {
    const asked = await ask('POST', '/v1/control/headless/next-prompt-session', { mode: 'new' });
    expect([asked.status, asked.body.chat_session.next_prompt_override]).toEqual([200, { mode: 'new' }]);
    expect((await ask('GET', '/v1/control/headless/state')).body.chat_session.next_prompt_override).toEqual({
      mode: 'new',
    });
  });

  test('whose manifest is gone cannot be described', async () => {
    rmSync(idle.session.paths.manifest);
    const gone = [503, expect.stringMatching(/ manifest /)];
    expect(await reported(ask('GET', '/v1/control/headless/state'))).toEqual(gone);
    const next = ask('POST', '/v1/control/headless/next-prompt-session', { mode: 'new' });
    expect(await reported(next)).toEqual(gone);
    expect(idle.gateway.override.pending).toBeNull();
  });

  test('whose manifest lost its headless section says so', async () => {
    editManifest(idle.session.paths, (manifest) => {
      manifest.headless = null;
    });
    const lacks = [422, expect.stringMatching(/ no headless section\.$/)];
    expect(await reported(ask('GET', '/v1/control/headless/state'))).toEqual(lacks);
  });
});

describe('an agent with a mailbox on a mail server', () => {
  open(bindMailServer);
  test('learns that nobody answers there', async () => {
    expect(await reported(ask('GET', '/v1/mail/status'))).toEqual([
      502,
      'http://127.0.0.1:47/jmap cannot be reached (ECONNREFUSED)',
    ]);
    expect((await ask('GET', '/v1/mail-notifier')).body).toMatchObject({ enabled: false, supported: false });
  });
});

describe('a gateway that others on the network reach', () => {
  open(bindMailServer, '0.0.0.0');
  test('serves no mail, whatever its agent has', async () => {
    expect(await reported(ask('GET', '/v1/mail/status'))).toEqual([
      503,
      expect.stringMatching(/127\.0\.0\.1; .* 0\.0\.0\.0\.$/),
    ]);
  });
});

describe('an agent in a terminal that is gone', () => {
  open(becomeTerminal);
  test('takes nothing, and is no headless one; reminders wait', async () => {
    expect(await reported(ask('POST', '/v1/requests', prompt('p')))).toEqual([
      503,
      expect.stringMatching(/ tmux session .* is gone\.$/),
    ]);
    const { status, body } = await ask('POST', '/v1/control/prompt', { prompt: 'p', force: true });
    expect([status, body.detail]).toEqual([
      503,
      expect.objectContaining({ error_code: 'unavailable', forced: true, sent: false }),
    ]);
    expect((await ask('POST', '/v1/reminders', { reminders: [reminder()] })).status).toBe(200);
    expect(await reported(ask('GET', '/v1/control/headless/state'))).toEqual([
      422,
      'Headless control is not available for backend local_interactive.',
    ]);
  });
});

describe('an agent of a backend that this release cannot drive', () => {
  open((paths) => becomeBackend(paths, 'codex_app_server'));
  test('says so to a direct prompt', async () => {
    const { status, body } = await ask('POST', '/v1/control/prompt', { prompt: 'p' });
    expect([status, body.detail]).toEqual([
      501,
      {
        status: 'error',
        action: 'submit_prompt',
        sent: false,
        forced: false,
        error_code: 'unsupported_backend',
        detail: 'Agents of backend codex_app_server accept no prompts from this release.',
      },
    ]);
  });
});
