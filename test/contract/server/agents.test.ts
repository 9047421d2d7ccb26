import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
