// The files of a session that the older implementation reads, too: held against its models from the launch to the detached gateway.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentIdOf } from '../../../src/launch/agent-name.js';
import { launchBody, prepare } from '../../support/brain.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { refusedByOlder, type SharedFile } from '../../support/older-models.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const window = ownTmux();
const { PATH, HOME, ...ours } = managerEnvironment(folder);
const environment: NodeJS.ProcessEnv = { ...ours, ...window.tmux.environment, PATH, HOME };
const agents = (...args: string[]) => manage(environment, ['agents', ...args]);
const launched: string[] = [];
afterAll(async () => {
  for (const name of launched) await agents('stop', name);
});

const always = ['manifest.json', 'gateway/attach.json', 'gateway/gateway_manifest.json'] as const;
const files: readonly SharedFile[] = [...always, 'gateway/state.json', 'record.json'];

/** Why the older implementation would refuse a file of an agent, by file; empty when it takes all. */
function refused(
  name: string,
  root: string,
  which: readonly SharedFile[],
  registry = join(folder, 'registry'),
) {
  const record = join(registry, 'live_agents', agentIdOf(name), 'record.json');
  const all = which.map((file) => {
    const path = file === 'record.json' ? record : join(root, file);
    return [file, refusedByOlder(file, JSON.parse(readFileSync(path, 'utf8')))] as const;
  });
  return Object.fromEntries(all.filter(([, faults]) => faults.length > 0));
}

/** The stand-in without the flags of a tool, most of which it does not know. */
const withoutFlags = join(folder, 'without-flags');
writeFileSync(withoutFlags, `#!/bin/sh\n'${standinProgram}'\nexit 0\n`, { mode: 0o755 });

/** Launches the stand-in as a tool; one that does not draw as that tool is never reported as ready, which is no matter here. */
async function launch(name: string, tool: string, ...flags: string[]): Promise<string> {
  launched.push(name);
  const executable = tool === 'claude' ? standinProgram : withoutFlags;
  const what = ['--tool', tool, '--executable', executable, '--home', join(folder, 'home')];
  const place = ['--workdir', folder, '--name', name, '--mailbox', join(folder, 'mail'), '--json'];
  const { code, stdout, stderr } = await agents('launch', ...what, ...place, ...flags);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout).session_root;
}

describe.each(['claude', 'codex', 'gemini'])('an agent with %s', (tool) => {
  test.each([
    ['without a terminal', ['--headless', '--window']],
    ['without tmux', ['--no-tmux', '--unattended', '--role', 'You review.']],
    ['in a terminal', ['--tui', '--unattended']],
  ])('%s has files that the older implementation takes', async (kind, flags) => {
    const name = `${tool}-${kind.replaceAll(' ', '-')}`;
    const root = await launch(name, tool, ...flags);
    expect(refused(name, root, [...files, 'gateway/run/current-instance.json'])).toEqual({});
    const { code, stderr } = await agents('gateway', 'detach', name);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(refused(name, root, files)).toEqual({});
  });
});

test('turns leave files that the older implementation takes, headless and in a terminal', async () => {
  for (const flag of ['--headless', '--tui']) {
    const name = `turns${flag}`;
    const root = await launch(name, 'claude', flag, '--role', 'You review.');
    const { code, stdout, stderr } = await agents('prompt', name, 'hello', '--timeout', '40');
    expect([code, stderr, stdout]).toEqual([0, expect.any(String), expect.stringContaining('hello')]);
    expect(refused(name, root, [...files, 'gateway/run/current-instance.json'])).toEqual({});
  }
});

describe('an agent that a server launched', () => {
  const host = managedHost(join(folder, 'of-a-server'), window);
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startManagedServer(host, join(folder, 'of-a-server'));
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  test.each([
    ['claude', 'CLAUDE_CONFIG_DIR', 'as_is'],
    ['codex', 'CODEX_HOME', 'unattended'],
    ['gemini', 'GEMINI_CLI_HOME', 'unattended'],
  ])(
    'for %s has files that the older implementation takes, with a gateway and turns',
    async (tool, variable, mode) => {
      const own = join(folder, `brain-of-${tool}`);
      const { requested } = prepare(own, {
        inputs: { tool },
        runtime: {
          launch_executable: tool === 'claude' ? standinProgram : withoutFlags,
          launch_home_selector: { env_var: variable, value: join(own, 'home') },
          launch_contract: {},
        },
        launch_policy: { operator_prompt_mode: mode },
      });
      const name = `served-${tool}`;
      const launch = await server.ask('POST', '/houmao/agents/headless/launches', {
        ...launchBody({ ...requested, tool: tool as typeof requested.tool }),
        agent_name: name,
        mailbox: { transport: 'filesystem', filesystem_root: join(own, 'mail') },
      });
      expect([launch.status, launch.body.detail]).toEqual([200, expect.any(String)]);
      const all = (which: readonly SharedFile[]) =>
        refused(name, launch.body.session_root, which, host.registryRoot);
      expect(all(['manifest.json', 'gateway/state.json', 'record.json'])).toEqual({});
      const turn = await server.ask('POST', `/houmao/agents/${name}/turns`, { prompt: 'hello' });
      expect(turn.status).toBe(200);
      const state = async () =>
        (await server.ask('GET', `/houmao/agents/${name}/turns/${turn.body.turn_id}`)).body.status;
      await expect.poll(state).not.toBe('active');
      const { status } = await server.ask('POST', `/houmao/agents/${name}/gateway/attach`);
      expect(status).toBe(200);
      expect(all([...files, 'gateway/run/current-instance.json'])).toEqual({});
      expect((await server.ask('POST', `/houmao/agents/${name}/stop`)).status).toBe(200);
      expect(all(always)).toEqual({});
    },
  );
});
