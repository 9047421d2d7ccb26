// The figures of an agent in a terminal: whether it waits for a person, and what its turns used.
import { expect, test } from 'vitest';
import { readExposition } from '../../support/exposition.js';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();

test('a question on the screen is in the figures as long as it is shown, and the turn is in what the agent used', async () => {
  const { url } = await agents.launch();
  await agents.ready();
  const waits = async () =>
    readExposition(await (await fetch(`${url}/metrics`)).text()).value('houmao_gateway_waiting_for_person');
  expect(await waits()).toBe(0);
  const id = await agents.queued('go [[tool=Bash {"command":"ls"}]]');
  await expect.poll(waits).toBe(1);
  const { dialog } = (await agents.ask('GET', '/v1/control/tui/dialog')).body;
  const answer = ['--dialog', dialog.dialog_id, '--choose', '1'];
  expect((await agents.run('agents', 'answer', 'alpha', ...answer)).code).toBe(0);
  await expect.poll(waits).toBe(0);
  const { turn } = await agents.request(id);
  const ended = await agents.turn(turn.turn_id);
  expect(ended).toMatchObject({ outcome: 'completed', usage: { scope: 'turn' } });
  const { days } = (await agents.ask('GET', '/v1/usage')).body;
  expect(days).toEqual([
    expect.objectContaining({
      turns: { completed: 1, failed: 0, interrupted: 0, replaced: 0 },
      turns_without_usage: 0,
      input_tokens: ended.usage.amounts.input_tokens,
      output_tokens: ended.usage.amounts.output_tokens,
      // The session file of the tool names no cost.
      turns_without_cost: 1,
      cost_usd: null,
    }),
  ]);
});
