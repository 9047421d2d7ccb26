import { expect, test } from 'vitest';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();

test('an agent in a terminal has its gateway in a window beside it, on request', async () => {
  const { session } = await agents.launch('', '--window');
  const windows = () =>
    agents.tmux.run('list-windows', '-t', `=${session}`, '-F', '#{window_index} #{window_name}');
  expect(windows()).toBe('0 agent\n1 gateway\n');
  expect(await agents.status()).toMatchObject({
    execution_mode: 'tmux_auxiliary_window',
    gateway_tmux_window_index: '1',
  });
  await agents.ready();
  expect((await agents.direct('from the window')).status).toBe(200);
  expect(agents.taken()).toMatchObject([{ prompt: 'from the window' }]);
  expect((await agents.run('agents', 'gateway', 'detach', 'alpha')).code).toBe(0);
  expect(windows()).toBe('0 agent\n');
});
