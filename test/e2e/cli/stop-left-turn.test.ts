// `agents stop` where no server does it: what a server began runs on without it, and is ended with the agent.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { linesOf, markedProcesses } from '../recovery/evidence.js';

/** An agent in whose turn a server was, that `houmao-mgr` does not find by itself. */
async function turnOfServer() {
  const folder = temporaryFolder();
  const environment = managerEnvironment(folder);
  const run = (...args: string[]) => manage(environment, args);
  const place = ['--root', join(folder, 'elsewhere'), '--port', '0'];
  const { pid, api_base_url } = JSON.parse((await run('server', 'start', ...place, '--json')).stdout);
  const tool = ['--tool', 'claude', '--headless', '--no-tmux', '--executable', standinProgram];
  const more = ['--workdir', folder, '--home', join(folder, 'home'), '--name', 'alpha', '--no-gateway'];
  const launched = await run('agents', 'launch', ...tool, ...more, '--json');
  const root: string = JSON.parse(launched.stdout).session_root;
  await expect.poll(async () => (await call(api_base_url, 'GET', '/houmao/agents/alpha')).status).toBe(200);
  const prompt = '[[slow=60000]] long';
  const begun = await call(api_base_url, 'POST', '/houmao/agents/alpha/turns', { prompt });
  const turnId: string = begun.body.turn_id;
  expect(markedProcesses([turnId])).not.toEqual([]);
  const endOf = () => {
    const database = openDatabase(join(root, 'gateway', 'queue.sqlite'), { readonly: true });
    try {
      return database.prepare('SELECT state, outcome, error_code, error_detail FROM turns').all();
    } finally {
      database.close();
    }
  };
  return { run, place, pid, root, turnId, endOf };
}

const ended = {
  state: 'ended',
  outcome: 'interrupted',
  error_code: 'interrupted',
  error_detail: 'The agent was stopped while this ran.',
};
const isEnd = (turnId: string) => (line: string) =>
  JSON.parse(line).kind === 'turn_ended' && line.includes(turnId);

test('of one that was killed', async () => {
  const { run, pid, root, turnId, endOf } = await turnOfServer();
  process.kill(pid, 'SIGKILL');
  const stopped = await run('agents', 'stop', 'alpha', '--json');
  expect(JSON.parse(stopped.stdout)).toMatchObject({ agent_name: 'HOUMAO-alpha', left_undone: [] });
  expect(markedProcesses([turnId])).toEqual([]);
  expect(endOf()).toEqual([ended]);
  expect(linesOf(join(root, 'gateway', 'events.jsonl')).filter(isEnd(turnId))).toHaveLength(1);
  // Nothing was restarted.
  expect(linesOf(join(root, 'gateway', 'logs', 'gateway.log')).join()).not.toMatch(/recovered|restart/);
});

test('of one that serves, and gives it up', async () => {
  const { run, place, turnId, endOf } = await turnOfServer();
  const stopped = await run('agents', 'stop', 'alpha', '--json');
  expect(JSON.parse(stopped.stdout)).toMatchObject({ agent_name: 'HOUMAO-alpha', left_undone: [] });
  expect(markedProcesses([turnId])).toEqual([]);
  expect(endOf()).toEqual([ended]);
  await run('server', 'stop', ...place);
});
