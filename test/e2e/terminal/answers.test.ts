// The output of `agents prompt` and `agents requests` for an agent in a terminal, whose requests end before their turns do.
import { expect, test } from 'vitest';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { run, queued, request } = agents;

test('the answer of a slow turn is waited for, and a turn that fails is reported with its reason', async () => {
  await agents.launch();
  await agents.ready();
  const answered = await run('agents', 'prompt', 'alpha', '[[slow=1500]] say hello');
  expect([answered.code, answered.stdout]).toEqual([0, expect.stringMatching(/^You said: say hello/)]);
  expect(answered.stderr).toMatch(/^Running as turn-/m);

  const failed = await run('agents', 'prompt', 'alpha', '[[fail=500]] say no');
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toMatch(/The prompt failed \(api_error\): API error 500/);

  await agents.ready();
  const id = await queued('[[slow=1500]] once more');
  const waited = await run('agents', 'requests', 'wait', 'alpha', id, '--json');
  expect(waited.code).toBe(0);
  expect(JSON.parse(waited.stdout)).toMatchObject({
    answer: expect.stringMatching(/^You said: once more/),
    request: { state: 'completed', turn: { state: 'ended', outcome: 'completed' } },
  });
});

test('the status names the turn of a terminal, and what keeps prompts from it', async () => {
  await agents.launch();
  await agents.ready();
  const lines = async () => (await run('agents', 'gateway', 'status', 'alpha')).stdout;
  const { turn } = await request(await queued('[[slow=8000]] take your time'));
  expect(await lines()).toMatch(
    new RegExp(`^  turn +${turn.turn_id} from the queue, confirmed, since `, 'm'),
  );
  await agents.interrupted();
  await agents.ready();

  await agents.keys('my own draft');
  await expect.poll(async () => (await agents.state()).surface.editing_input).toBe('yes');
  expect(await lines()).toMatch(/an unsent draft .*: houmao-mgr agents keys alpha '<\[C-u\]>'\n/);
  const id = await queued('after the draft');
  expect((await agents.direct('now')).body.detail.detail).toMatch(
    /busy \(queue_depth=1, terminal_surface_eligibility='not_ready', .*surface\.editing_input='yes'/,
  );
  expect((await run('agents', 'keys', 'alpha', '<[C-u]>')).code).toBe(0);
  expect(await request(id)).toMatchObject({ state: 'completed' });
});
