import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRegistration } from '../../../src/server/directory/agent-records.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let server: ManagedServer;
let terminal: SessionPaths;
let headless: SessionPaths;

beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  terminal = await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
  headless = await launchOn(server.host, folder, 'plain');
  await server.server.directory.changed();
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

const get = (path: string) => server.ask('GET', path);
const agent = (name: string, rest: string) => get(`/houmao/agents/${name}${rest}`);
const ready = () =>
  expect
    .poll(async () => (await agent('screen', '/state')).body)
    .toMatchObject({ availability: 'available', turn: { phase: 'ready', active_turn_id: null } });

describe('an agent in a terminal without a gateway', () => {
  test('has a state of its own, and a gateway that was never attached', async () => {
    await ready();
    const { status, body } = await agent('screen', '/state');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      identity: { transport: 'tui', agent_name: 'HOUMAO-screen', session_root: terminal.root },
      last_turn: { turn_id: null, turn_index: null },
      diagnostics: [],
      mailbox: null,
      gateway: {
        gateway_health: 'not_attached',
        request_admission: 'blocked_unavailable',
        queue_depth: 0,
        gateway_host: null,
        gateway_port: null,
      },
    });
  });

  test('is looked at closely, and its terminal has the name that the routes are of', async () => {
    await ready();
    const { status, body } = await agent('screen', '/state/detail');
    expect(status).toBe(200);
    const { terminal_id } = body.identity;
    expect(body.detail).toMatchObject({
      transport: 'tui',
      terminal_id,
      canonical_terminal_state_route: `/houmao/terminals/${terminal_id}/state`,
      canonical_terminal_history_route: `/houmao/terminals/${terminal_id}/history`,
      diagnostics: { availability: 'available', transport_state: 'tmux_up', parse_status: 'parsed' },
      surface: { accepting_input: 'yes', ready_posture: 'yes' },
    });
    const state = (await get(body.detail.canonical_terminal_state_route)).body;
    expect(state).toMatchObject({
      terminal_id,
      tracked_session: {
        tracked_session_id: body.tracked_agent_id,
        terminal_aliases: [terminal_id],
        tool: 'claude',
        session_root: terminal.root,
      },
      probe_snapshot: { captured_text_excerpt: expect.stringContaining('Claude Code') },
    });
    const changes = (await get(`${body.detail.canonical_terminal_history_route}?limit=1`)).body;
    expect(changes).toMatchObject({ terminal_id, tracked_session_id: body.tracked_agent_id });
    expect(changes.entries).toEqual(state.recent_transitions.slice(-1));
  });

  test('has a history of its changes, the oldest first', async () => {
    await ready();
    const { status, body } = await agent('screen', '/history');
    expect(status).toBe(200);
    expect(body.entries.at(-1)).toMatchObject({
      availability: 'available',
      turn_phase: 'ready',
      turn_id: null,
      summary: expect.stringContaining('-> '),
    });
    const times = body.entries.map((entry: { recorded_at_utc: string }) => entry.recorded_at_utc);
    expect(times).toEqual([...times].sort());
    expect((await agent('screen', '/history?limit=1')).body.entries).toEqual(body.entries.slice(-1));
  });
});

describe('a headless agent without a gateway', () => {
  test('is ready before its first turn', async () => {
    const { status, body } = await agent('plain', '/state/detail');
    expect(status).toBe(200);
    expect(body.summary_state).toMatchObject({
      availability: 'available',
      turn: { phase: 'ready', active_turn_id: null },
      diagnostics: [],
      last_turn: { result: 'none', turn_id: null, turn_index: null, updated_at_utc: null },
    });
    expect(body.detail).toMatchObject({
      transport: 'headless',
      runtime_resumable: true,
      tmux_session_live: true,
      can_accept_prompt_now: true,
      interruptible: false,
      last_turn_status: null,
      chat_session: {
        current: null,
        startup_default: { mode: 'new', id: null },
        next_prompt_override: null,
      },
    });
    expect((await agent('plain', '/state')).body).toEqual(body.summary_state);
    expect((await agent('plain', '/history')).body.entries).toEqual([]);
  });

  test('that lost its manifest is unavailable, and says so', async () => {
    const lost = await launchOn(server.host, folder, 'lost');
    await server.server.directory.changed();
    for (const text of ['{"schema_version": 4,', '[]', '']) {
      writeFileSync(lost.manifest, text);
      expect(await agent('lost', '/state/detail')).toMatchObject({
        status: 200,
        body: {
          summary_state: {
            availability: 'unavailable',
            turn: { phase: 'unknown' },
            diagnostics: [{ kind: 'runtime_resume_unavailable' }],
          },
          detail: { runtime_resumable: false, can_accept_prompt_now: false, chat_session: null },
        },
      });
    }
  });
});

describe('what other processes leave in the files of a session', () => {
  test.each([
    ['a status that is half written', '{"gateway_health": "hea', 'gateway_state_unreadable'],
    ['a status of another shape', '{"gateway_health": 7}', 'gateway_state_unreadable'],
    ['the status of a gateway that was killed', null, 'gateway_gone'],
  ])('%s is reported, and no gateway is shown', async (_, text, kind) => {
    const killed = {
      gateway_health: 'healthy',
      managed_agent_connectivity: 'connected',
      managed_agent_recovery: 'idle',
      request_admission: 'open',
      active_execution: 'running',
      queue_depth: 1,
      gateway_host: '127.0.0.1',
      gateway_port: 4711,
    };
    writeFileSync(headless.state, text ?? JSON.stringify(killed));
    expect(await agent('plain', '/state')).toMatchObject({
      status: 200,
      body: { availability: 'available', gateway: null, diagnostics: [{ kind }] },
    });
    rmSync(headless.state);
  });

  test('a database that is none makes the turns unknown, and no state a fault', async () => {
    const spoilt = await launchOn(server.host, folder, 'spoilt');
    await server.server.directory.changed();
    writeFileSync(spoilt.queue, 'no database at all, but long enough to be read as one'.repeat(40));
    expect(await agent('spoilt', '/state/detail')).toMatchObject({
      status: 200,
      body: {
        summary_state: {
          availability: 'available',
          turn: { phase: 'unknown' },
          last_turn: { result: 'unknown' },
          diagnostics: [{ kind: 'turn_records_unreadable', message: expect.not.stringContaining('/') }],
        },
        detail: { can_accept_prompt_now: false },
      },
    });
    expect((await agent('spoilt', '/history')).status).toBe(503);
  });
});

describe('refused', () => {
  test.each(['/overview', '/state', '/state/detail', '/history'])('%s of nobody', async (rest) => {
    expect(await agent('nobody', rest)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('`nobody`') },
    });
    expect((await agent('%20', rest)).status).toBe(404);
  });

  test.each(['0', '501', 'x', '1.5'])('a history of %s entries', async (limit) => {
    for (const path of ['/houmao/agents/plain', '/houmao/terminals/1a2b3c4d'])
      expect(await get(`${path}/history?limit=${limit}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', 'limit'] }] },
      });
  });

  test.each(['state', 'history'])(
    'the %s of a terminal that is none, or is named as none is',
    async (rest) => {
      expect(await get(`/houmao/terminals/00000000/${rest}`)).toMatchObject({
        status: 404,
        body: { detail: 'No terminal `00000000` on this server.' },
      });
      for (const name of ['1A2B3C4D', '1a2b3c4', 'x', '1a2b3c4d5'])
        expect(await get(`/houmao/terminals/${name}/${rest}`)).toMatchObject({
          status: 422,
          body: { detail: [{ loc: ['path', 'terminal_id'] }] },
        });
    },
  );
});

describe('a terminal that is registered with nothing but its name', () => {
  test('is looked at all the same, and makes a name ambiguous that another agent has', async () => {
    const { paneId } = await server.host.tmux.newSession('bare', folder, {});
    await server.host.tmux.respawnPane(paneId, folder, 'exec sleep 600');
    const nothing = { manifest_path: null, session_root: null, tmux_session_name: null };
    writeRegistration(server.server.parts.paths.sessions, {
      session_name: 'bare',
      tool: 'claude',
      terminal_id: 'abcdef12',
      observed_tool_version: null,
      ...nothing,
      agent_name: 'HOUMAO-plain',
      agent_id: null,
      tmux_window_name: null,
    });
    await server.server.directory.changed();
    expect(await agent('bare', '/state')).toMatchObject({
      status: 200,
      body: { availability: 'unavailable', turn: { phase: 'unknown' }, mailbox: null, gateway: null },
    });
    const { body: reported } = await agent('bare', '/state');
    expect(reported.diagnostics.map(({ kind }: { kind: string }) => kind)).toContain('no_session_root');
    expect((await get('/houmao/terminals/abcdef12/state')).body).toMatchObject({
      diagnostics: { availability: 'tui_down', process_state: 'tui_down' },
      tracked_session: { session_name: 'bare', session_root: null, observed_tool_version: null },
    });
    for (const rest of ['/overview', '/state', '/state/detail', '/history']) {
      const { status, headers, body } = await agent('HOUMAO-plain', rest);
      expect([status, headers.get('x-houmao-error-code')]).toEqual([409, 'ambiguous_agent']);
      expect(body.detail).toContain('bare');
    }
    await server.host.tmux.killSession('bare');
    await expect.poll(async () => (await agent('bare', '/state')).status).toBe(404);
    expect((await agent('plain', '/state')).status).toBe(200);
  });
});
