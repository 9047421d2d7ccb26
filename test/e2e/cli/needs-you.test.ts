// An agent whose screen asks a person something is reported as such by every door, and nobody calls it ready or at work.
import { expect, test } from 'vitest';
import { startManager } from '../../support/manager.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
const { run, launchWith } = agents;
const stateInList = async () => JSON.parse((await run('agents', 'list', '--json')).stdout).agents[0].state;

test('a tool that asks whether its folder is trusted needs its user from the launch on', async () => {
  const launched = await launchWith('trust-dialog');
  expect(JSON.parse(launched.stdout).state).toBe('needs you');
  expect(await stateInList()).toBe('needs you');
  expect((await run('agents', 'gateway', 'status', 'alpha')).stdout).toMatch(/ a person; /);
  expect((await run('agents', 'keys', 'alpha', '<[Down]><[Enter]>')).code).toBe(0);
  await expect.poll(stateInList).toBe('ready');
});

test('a launch that saw the tool ready says so, and one that did not look says that it starts', async () => {
  expect(JSON.parse((await launchWith('')).stdout).state).toBe('ready');
  await run('agents', 'stop', 'alpha');
  expect(JSON.parse((await launchWith('', '--no-gateway')).stdout).state).toBe('starting');
});

test('a prompt over which the agent asks says what, and goes on when it is answered', async () => {
  await agents.launch();
  await agents.ready();
  const prompting = startManager(agents.environment, [
    'agents',
    'prompt',
    'alpha',
    'go [[tool=Bash {"command":"ls"}]]',
  ]);
  await prompting.saying(/^alpha waits for a person to answer:\n(?: {2}.*\n)+/m);
  expect(await stateInList()).toBe('needs you');
  expect((await run('agents', 'gateway', 'status', 'alpha')).stdout).toMatch(/ a person; /);
  expect((await run('agents', 'keys', 'alpha', '<[Enter]>')).code).toBe(0);
  expect(await prompting.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('go') });
});
