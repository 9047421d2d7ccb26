// A request of an agent in a terminal is completed when the agent has the prompt; how its turn ended is asked for by its outcome.
import { expect, test } from 'vitest';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
const requests = (...args: string[]) => agents.run('agents', 'requests', ...args);
const listed = async (...flags: string[]): Promise<string[]> =>
  JSON.parse((await requests('list', 'alpha', ...flags, '--json')).stdout).requests.map(
    (one: { request_id: string }) => one.request_id,
  );

test('turns that were interrupted are found by their outcome, with and without the gateway', async () => {
  await agents.launch();
  await agents.ready();
  const id = await agents.queued('[[slow=60000]] long');
  const turn = async () => JSON.parse((await requests('show', 'alpha', id, '--json')).stdout).turn?.state;
  await expect.poll(turn).toBe('running');
  expect((await agents.interrupted()).result.outcome).toBe('stopped');
  await expect.poll(turn).toBe('ended');
  for (const _where of ['at the gateway', 'in its queue']) {
    expect(await listed('--outcome', 'interrupted')).toEqual([id]);
    expect(await listed('--outcome', 'interrupted', '--state', 'completed')).toEqual([id]);
    expect(await listed('--outcome', 'completed')).toEqual([]);
    // In words the state of requests leads on to the outcome of turns.
    expect((await requests('list', 'alpha', '--state', 'failed')).stdout).toContain('--outcome failed');
    await agents.run('agents', 'gateway', 'detach', 'alpha');
  }
  expect((await requests('list', 'alpha', '--outcome', 'late')).code).toBe(2);
});
