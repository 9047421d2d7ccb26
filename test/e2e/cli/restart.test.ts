// After a reboot nothing of an agent runs: one command brings it back, with its conversation and what was queued for it.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../src/foundation/processes.js';
import { standinProgram } from '../../support/test-session.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
const { run, launch, queued, tmux } = agents;
const restarted = async (...flags: string[]) => {
  const { code, stdout, stderr } = await run('agents', 'restart', 'alpha', '--json', ...flags);
  return { code, stderr, ...JSON.parse(stdout || '{}') };
};
/** Ends all that a reboot ends, as suddenly. */
async function reboot(): Promise<void> {
  const tool = agents.toolPid();
  const server = Number(tmux.run('display-message', '-p', '#{pid}'));
  for (const pid of [agents.gatewayPid(), server, tool]) process.kill(pid, 'SIGKILL');
  for (const pid of [server, tool]) await expect.poll(() => identify(pid)).toBeNull();
}
const attached = async () => {
  const { gateway_url } = JSON.parse((await run('agents', 'gateway', 'attach', 'alpha', '--json')).stdout);
  return gateway_url;
};

test('an agent in a terminal goes on with its conversation, and the queue with what waits', async () => {
  await launch();
  await agents.ready();
  expect(await agents.request(await queued('before the reboot'))).toMatchObject({ state: 'completed' });
  await run('agents', 'gateway', 'pause', 'alpha');
  const waiting = await queued('after the reboot');
  await reboot();
  expect((await run('agents', 'doctor', 'alpha')).stdout).toContain('houmao-mgr agents restart alpha');
  const back = await restarted();
  expect(back).toMatchObject({
    code: 0,
    tmux_session: 'made',
    tool: 'started',
    gateway: 'started',
    state: 'ready',
  });
  expect(back.conversation).toMatch(/^[0-9a-f-]{36}$/);
  await run('agents', 'gateway', 'resume', 'alpha');
  expect(await attached()).toBe(back.gateway_url);
  await agents.attach();
  expect((await agents.request(waiting)).turn).toMatchObject({ outcome: 'completed' });
  expect(agents.screen()).toContain('before the reboot');
});

test('what is there stays as it is, and a tool that has ended is started in its pane again', async () => {
  await launch();
  await agents.ready();
  const tool = agents.toolPid();
  expect(await restarted()).toMatchObject({
    tmux_session: 'there',
    tool: 'there',
    gateway: 'there',
    state: null,
  });
  expect(agents.toolPid()).toBe(tool);
  process.kill(tool, 'SIGKILL');
  await expect.poll(() => identify(tool)).toBeNull();
  expect(await restarted()).toMatchObject({ tmux_session: 'there', tool: 'started', conversation: null });
  await agents.ready();
  expect(agents.toolPid()).not.toBe(tool);
});

test('a conversation that the tool has no more is reported, and another one begins', async () => {
  await launch();
  await agents.ready();
  await agents.request(await queued('to be forgotten'));
  await reboot();
  rmSync(join(agents.home(), 'projects'), { recursive: true });
  const back = await restarted();
  expect(back).toMatchObject({ code: 0, tool: 'started', conversation: null, state: 'ready' });
  await agents.attach();
  expect(await agents.request(await queued('in another one'))).toMatchObject({ state: 'completed' });
});

test('an attach to an agent whose session is gone leads to its restart', async () => {
  await launch();
  await reboot();
  const reported = await run('agents', 'gateway', 'attach', 'alpha');
  expect(reported.stdout).toContain('houmao-mgr agents restart alpha');
  expect(await restarted()).toMatchObject({ tmux_session: 'made', tool: 'started', gateway: 'there' });
});

test('a headless agent gets its session back, and its next turn the conversation', async () => {
  const flags = [
    '--tool',
    'claude',
    '--headless',
    '--executable',
    standinProgram,
    '--workdir',
    agents.folder,
  ];
  const launched = await run(
    'agents',
    'launch',
    ...flags,
    '--home',
    join(agents.folder, 'headless'),
    '--name',
    'alpha',
    '--json',
  );
  const { session_root: root } = JSON.parse(launched.stdout);
  expect((await run('agents', 'prompt', 'alpha', 'one')).stdout).toContain('(turn 1');
  const server = Number(tmux.run('display-message', '-p', '#{pid}'));
  const gateway = Number(readFileSync(join(root, 'gateway/run/gateway.pid'), 'utf8'));
  for (const pid of [gateway, server]) process.kill(pid, 'SIGKILL');
  for (const pid of [gateway, server]) await expect.poll(() => identify(pid)).toBeNull();
  expect(await restarted()).toMatchObject({ tmux_session: 'made', tool: null, gateway: 'started' });
  expect((await run('agents', 'prompt', 'alpha', 'two')).stdout).toContain('(turn 2');
});
