import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentIdOf } from '../../../src/launch/agent-name.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { writeRegistration } from '../../../src/server/directory/agent-records.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { requestFor } from '../../support/launch-host.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ask } from '../support/ask.js';

const folder = temporaryFolder();
const tmux = ownTmux();
let managed: ManagedServer;
let headless: SessionPaths;

beforeAll(async () => {
  managed = await openManagedServer(folder, tmux);
  headless = await createSession(checkLaunch(requestFor('alpha', folder), managed.host), managed.host);
  mkdirSync(join(folder, 'work'));
  await tmux.tmux.newSession('gpu', join(folder, 'work'), {});
  writeRegistration(managed.server.parts.paths.sessions, {
    session_name: 'gpu',
    tool: 'claude',
    terminal_id: null,
    observed_tool_version: null,
    manifest_path: null,
    session_root: null,
    agent_name: 'alpha',
    agent_id: null,
    tmux_session_name: null,
    tmux_window_name: 'main',
  });
  await managed.server.directory.changed();
});
afterAll(async () => {
  await managed.close();
  expect(managed.faults).toEqual([]);
});

const get = (path: string) => ask(managed.url, 'GET', path);

describe('the agents of a host', () => {
  test('are listed in order, with everything that is known of them', async () => {
    const { status, body } = await get('/houmao/agents');
    expect(status).toBe(200);
    const id = headless.root.split('/').at(-1);
    expect(body).toEqual({
      agents: [
        {
          tracked_agent_id: id,
          transport: 'headless',
          tool: 'claude',
          session_name: null,
          terminal_id: null,
          runtime_session_id: id,
          tmux_session_name: expect.stringMatching(/^HOUMAO-alpha-\d+$/),
          tmux_window_name: 'agent',
          manifest_path: headless.manifest,
          session_root: headless.root,
          agent_name: 'HOUMAO-alpha',
          agent_id: agentIdOf('alpha'),
        },
        {
          tracked_agent_id: 'gpu',
          transport: 'tui',
          tool: 'claude',
          session_name: 'gpu',
          terminal_id: expect.stringMatching(/^[a-f0-9]{8}$/),
          runtime_session_id: null,
          tmux_session_name: 'gpu',
          tmux_window_name: 'main',
          manifest_path: null,
          session_root: null,
          agent_name: 'alpha',
          agent_id: null,
        },
      ],
    });
  });

  test('are found by each of their names', async () => {
    const [agent, terminal] = (await get('/houmao/agents')).body.agents;
    for (const alias of [agent.tracked_agent_id, 'HOUMAO-alpha', agent.agent_id, '%20HOUMAO-alpha%20'])
      expect((await get(`/houmao/agents/${alias}`)).body).toEqual(agent);
    for (const alias of ['gpu', terminal.terminal_id])
      expect((await get(`/houmao/agents/${alias}`)).body).toEqual(terminal);
  });

  test('that share a name are listed', async () => {
    const { status, body } = await get('/houmao/agents/alpha');
    expect(status).toBe(409);
    const id = headless.root.split('/').at(-1);
    expect(body.detail).toContain(`${id}, gpu.`);
  });

  test('a name that nobody has is 404, and so is a blank one', async () => {
    const unknown = await get('/houmao/agents/beta');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: expect.stringContaining('`beta`') }]);
    const blank = await get('/houmao/agents/%20');
    expect([blank.status, blank.body]).toEqual([404, { detail: expect.stringContaining('blank') }]);
  });

  test('are filtered, and come with how they stand where that is asked for', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await get(`/houmao/agents?${query}`)).body.agents.map(
        (one: { tracked_agent_id: string }) => one.tracked_agent_id,
      );
    const id = headless.root.split('/').at(-1);
    expect(await ids('transport=tui')).toEqual(['gpu']);
    expect(await ids('tool=codex')).toEqual([]);
    expect(await ids('name=alp&transport=headless')).toEqual([id]);
    expect(await ids('state=ready')).toEqual([id]);
    const { body } = await get('/houmao/agents?with=standing&state=ready');
    const { agents } = (await get('/houmao/overview')).body;
    const line = agents.find((one: { tracked_agent_id: string }) => one.tracked_agent_id === id);
    expect(body).toEqual({ agents: [{ ...(await get(`/houmao/agents/${id}`)).body, standing: line }] });
  });

  test('come in pages, each with the cursor of the next one', async () => {
    const whole = (await get('/houmao/agents')).body.agents;
    const first = (await get('/houmao/agents?limit=1')).body;
    expect(first).toEqual({ agents: [whole[0]], next_cursor: expect.any(String) });
    const rest = (await get(`/houmao/agents?limit=1&cursor=${first.next_cursor}`)).body;
    expect(rest).toEqual({ agents: [whole[1]], next_cursor: null });
    const client = createHoumaoClient({ baseUrl: managed.url });
    const listed: unknown[] = [];
    for await (const agent of client.everyAgent({ pageSize: 1 })) listed.push(agent);
    expect(listed).toEqual(whole);
  });

  test.each([
    ['state=asleep', 'state', 'literal_error'],
    ['transport=fax', 'transport', 'literal_error'],
    ['with=everything', 'with', 'literal_error'],
    ['limit=0', 'limit', 'greater_than_equal'],
    ['limit=201', 'limit', 'less_than_equal'],
    ['cursor=behind', 'cursor', 'value_error'],
    ['name=', 'name', 'string_too_short'],
    ['state=ready&state=busy', 'state', 'string_type'],
  ])('the parameter of %s is refused by its name', async (query, field, type) => {
    const { status, body } = await get(`/houmao/agents?${query}`);
    expect([status, body.detail[0]]).toMatchObject([422, { type, loc: ['query', field] }]);
  });

  test('unknown parameters are refused by name', async () => {
    const { status, body } = await get('/houmao/agents?colour=blue');
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ type: 'extra_forbidden', loc: ['query', 'colour'] }]);
  });
});

describe('what a name stands for', () => {
  const resolve = async (name: string) => (await get(`/houmao/agents/${name}/resolve`)).body;

  test('is answered for every name, with whether the agent can be prompted', async () => {
    const id = headless.root.split('/').at(-1);
    expect(await resolve('HOUMAO-alpha')).toEqual({
      agent_ref: 'HOUMAO-alpha',
      status: 'live_without_gateway',
      tracked_agent_id: id,
      candidates: [id],
    });
    expect(await resolve('alpha')).toEqual({
      agent_ref: 'alpha',
      status: 'ambiguous',
      tracked_agent_id: null,
      candidates: [id, 'gpu'],
    });
    for (const name of ['beta', '%20'])
      expect(await resolve(name)).toEqual({
        agent_ref: decodeURIComponent(name),
        status: 'unknown',
        tracked_agent_id: null,
        candidates: [],
      });
    // Only a shell is in that terminal.
    expect(await resolve('gpu')).toMatchObject({ status: 'offline', tracked_agent_id: 'gpu' });
  });
});
