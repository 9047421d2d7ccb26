// `agents usage`: what agents used, by day, of their gateways and of what these left.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openManagedServer } from '../../support/managed-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

let environment: NodeJS.ProcessEnv = {};
const agents = (...args: string[]) => manage(environment, ['agents', ...args]);

async function launch(name: string): Promise<void> {
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--no-tmux'];
  const folder = environment.HOME ?? '';
  const where = ['--home', `${folder}/home-${name}`, '--workdir', folder, '--name', name];
  expect((await agents('launch', ...tool, ...where)).code).toBe(0);
}
beforeEach(async () => {
  environment = managerEnvironment(temporaryFolder());
  await launch('alpha');
  await launch('beta');
});
afterEach(() => agents('stop', '--all'));

const usage = async (...args: string[]) => JSON.parse((await agents('usage', ...args, '--json')).stdout);

test('shows a row per agent and day and a total, whether or not a gateway lives', async () => {
  expect((await agents('usage')).stdout).toMatch(/^No turn ended from /);
  await agents('prompt', 'alpha', 'hello');
  await agents('prompt', 'beta', 'hello');
  await agents('prompt', 'beta', '[[exit=3]] fails');
  const { agents: all, total, from, to } = await usage();
  expect(all.map(({ agent_name }: { agent_name: string }) => agent_name)).toEqual(['alpha', 'beta']);
  expect(Date.parse(to) - Date.parse(from)).toBe(6 * 86_400_000);
  expect(total.turns).toEqual({ completed: 2, failed: 1, interrupted: 0, replaced: 0 });
  expect(total.input_tokens).toBe(all[0].days[0].input_tokens + all[1].days[0].input_tokens);
  const { stdout, code } = await agents('usage');
  expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^AGENT +DAY +TURNS +FAILED/)]);
  expect(stdout).toMatch(/^alpha +\d{4}-\d\d-\d\d +1 +0 +0 +[1-9]/m);
  expect(stdout).toMatch(/^beta +\d{4}-\d\d-\d\d +2 +1 +0 +[1-9]/m);
  expect(stdout).toMatch(/^total +3 +1 +0 +[1-9]/m);

  const before = await usage('beta', '--days', '1');
  expect(before).toMatchObject({ agents: [{ agent_name: 'beta', days: all[1].days, detail: null }] });
  await agents('gateway', 'detach', 'beta');
  expect(await usage('beta', '--days', '1')).toEqual(before);
  const unknown = await agents('usage', 'alpha', 'nobody', '--json');
  expect([unknown.code, JSON.parse(unknown.stdout).agents]).toEqual([
    5,
    [
      { agent_name: 'alpha', days: all[0].days, detail: null },
      { agent_name: 'nobody', days: null, detail: expect.any(String) },
    ],
  ]);
  expect((await agents('usage', '--days', '367')).code).toBe(2);
});

test('asks a server with --server, for its agents or those that are named', async () => {
  await agents('prompt', 'alpha', 'hello');
  const server = await openManagedServer(environment.HOME ?? '');
  try {
    await server.server.directory.changed();
    const here = await usage('alpha');
    expect(await usage('alpha', '--server', server.url)).toEqual(here);
    expect((await usage('--server', server.url)).total).toEqual(here.total);
  } finally {
    await server.close();
  }
});
