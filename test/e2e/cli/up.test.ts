// `houmao-mgr up`: from nothing to a working agent, and nothing twice.
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const tmux = ownTmux();

interface Host {
  run(...args: string[]): Promise<Ran>;
  /** `up <flags> --json`. */
  up(...flags: string[]): Promise<{ code: number | null; answer: UpAnswer; failure: { error_code: string } }>;
}

interface UpAnswer {
  readonly server: { api_base_url: string; reused_existing: boolean };
  readonly agent: { agent_name: string; gateway_url: string; gateway?: string; backend?: string };
}

/** @param tools the agent CLIs that are installed there; each is the stand-in */
function hostWith(...tools: string[]): Host {
  const folder = temporaryFolder(tmux);
  const programs = join(folder, 'tools');
  mkdirSync(programs);
  for (const tool of tools) symlinkSync(standinProgram, join(programs, tool));
  const { PATH = '', ...rest } = { ...managerEnvironment(folder), ...tmux.tmux.environment };
  // Tools of this machine are not those of the test.
  const others = PATH.split(delimiter).filter((path) => !/claude|codex|gemini/.test(path));
  const environment = { ...rest, PATH: [programs, ...others].join(delimiter) };
  const run = (...args: string[]) => manage(environment, args);
  onTestFinished(async () => {
    const { agents } = JSON.parse((await run('agents', 'list', '--json')).stdout);
    for (const { agent_name } of agents) await run('agents', 'stop', agent_name);
    await run('server', 'stop');
  });
  return {
    run,
    up: async (...flags) => {
      const { code, stdout, stderr } = await run('up', '--json', ...flags);
      return { code, answer: JSON.parse(stdout || '{}'), failure: JSON.parse(stderr || '{}') };
    },
  };
}

test('without any tool nothing is started, and a stand-in is offered', async () => {
  const { run, up } = hostWith();
  expect(await up()).toMatchObject({ code: 1, failure: { error_code: 'no_tool' } });
  expect(JSON.parse((await run('server', 'status', '--json')).stdout).running).toBe(false);
});

test('an agent that is refused leaves no server behind', async () => {
  const { run, up } = hostWith();
  expect((await up('--standin', '--workdir', '/no/such/folder')).code).toBe(2);
  expect((await up('--standin', '--name', 'two words')).code).toBe(2);
  expect(JSON.parse((await run('server', 'status', '--json')).stdout).running).toBe(false);
});

test('takes the first tool that is installed, starts a server and its agent, and a second time leaves both alone', async () => {
  const { run, up } = hostWith('gemini', 'claude');
  const first = await up('--port', '0');
  expect(first.answer).toMatchObject({
    server: { reused_existing: false },
    agent: { agent_name: 'HOUMAO-claude', backend: 'claude_headless' },
  });
  expect((await run('agents', 'prompt', 'claude', 'Hello')).stdout).toContain('Hello');
  const second = await up();
  expect(second.answer).toMatchObject({
    server: { api_base_url: first.answer.server.api_base_url, reused_existing: true },
    agent: { gateway_url: first.answer.agent.gateway_url, gateway: 'there' },
  });
});

test('brings back the gateway of an agent that was launched before', async () => {
  const { run, up } = hostWith();
  await up('--standin', '--name', 'alpha', '--port', '0');
  await run('agents', 'gateway', 'detach', 'alpha');
  expect((await up('--standin', '--name', 'alpha')).answer.agent).toMatchObject({
    agent_name: 'HOUMAO-alpha',
    gateway: 'started',
  });
});
