// A user who named no home for a tool has its files where the tool keeps them, and an agent reads the same ones: it asks for
// no sign-in or trust again, and starts the user's own MCP server.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usePrivateTmux } from '../e2e/recovery/private-tmux.js';
import { call } from '../support/http.js';
import { manage, managerEnvironment } from '../support/manager.js';
import { type AgentTool, agentPath } from './harness/agent-paths.js';
import { brainOf } from './harness/brain-of.js';
import { startFakeModel } from './harness/fake-model/server.js';
import { makeUsersHome } from './harness/homes.js';

async function userWith(tool: AgentTool) {
  const folder = await mkdtemp(path.join(os.homedir(), `${tool}-own-`));
  const [work, started] = [path.join(folder, 'work'), path.join(folder, 'started')];
  mkdirSync(work);
  const tmux = usePrivateTmux();
  const fake = await startFakeModel();
  const home = await makeUsersHome(
    tool,
    { root: folder, modelUrl: fake.url, workingDirectory: work },
    started,
  );
  const environment = managerEnvironment(folder);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await manage(environment, [...args, '--json']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout);
  };
  onTestFinished(async () => {
    await manage(environment, ['agents', 'stop', 'alpha']);
    await manage(environment, ['server', 'stop']);
    tmux.remove();
    await fake.close();
  });
  return {
    folder,
    work,
    home,
    run,
    launch: (...flags: string[]) =>
      run(
        ...['agents', 'launch', '--tool', tool, '--name', 'alpha', ...flags],
        ...['--executable', agentPath(tool), '--workdir', work],
        ...Object.entries(home.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ),
    /** How often the tool has started the user's server. */
    starts: () => (existsSync(started) ? readFileSync(started, 'utf8').split('\n').length - 1 : 0),
  };
}

describe.each(['claude', 'codex', 'gemini'] as const)('%s without --home', (tool) => {
  test('in a terminal asks nothing, and has what its user has', async () => {
    const user = await userWith(tool);
    const { gateway_url: url } = await user.launch('--tui');
    await expect
      .poll(async () => (await call(url, 'GET', '/v1/status')).body)
      .toMatchObject({ terminal_surface_eligibility: 'ready', active_execution: 'idle' });
    await expect.poll(user.starts).not.toBe(0);
  });

  test('headless has it in its first turn and where the conversation goes on', async () => {
    const user = await userWith(tool);
    await user.launch('--headless');
    const before = user.starts();
    const first = await user.run('agents', 'prompt', 'alpha', 'one');
    expect(first.request).toMatchObject({ state: 'completed' });
    const then = user.starts();
    expect(then).toBeGreaterThan(before);
    const second = await user.run('agents', 'prompt', 'alpha', 'two');
    expect(second.request.turn).toMatchObject({
      outcome: 'completed',
      provider_session_id: first.request.turn.provider_session_id,
    });
    expect(user.starts()).toBeGreaterThan(then);
  });

  test('launched by a server from a brain manifest that names that place has it, too', async () => {
    const user = await userWith(tool);
    const brain = brainOf(tool, user.home, user.folder, user.work, user.folder);
    const { api_base_url: url } = await user.run('server', 'start', '--port', '0');
    const launched = await call(url, 'POST', '/houmao/agents/headless/launches', {
      ...brain,
      agent_name: 'alpha',
    });
    expect(launched.status, JSON.stringify(launched.body)).toBe(200);
    const turn = await call(url, 'POST', '/houmao/agents/alpha/turns', { prompt: 'one' });
    const path = `/houmao/agents/alpha/turns/${turn.body.turn_id}?wait_seconds=40`;
    expect((await call(url, 'GET', path)).body).toMatchObject({ status: 'completed' });
    expect(user.starts()).toBeGreaterThan(0);
  });
});
