// `agents follow`, and `agents prompt` on a terminal: the answer while it is produced.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manage, managerEnvironment, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

const tmux = usePrivateTmux();
const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
let server = '';

beforeAll(async () => {
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram];
  const where = ['--home', join(folder, 'home'), '--workdir', folder, '--no-tmux'];
  server = JSON.parse((await run('server', 'start', '--port', '0', '--json')).stdout).api_base_url;
  for (const name of ['alpha', 'beta'])
    expect((await agents('launch', ...tool, ...where, '--name', name)).code).toBe(0);
  expect((await agents('gateway', 'detach', 'beta')).code).toBe(0);
});
afterAll(async () => {
  await agents('stop', '--all');
  await run('server', 'stop', '--port', '0');
  tmux.remove();
});

const prompted = async (name: string, text: string): Promise<string> => {
  const { stdout } = await agents('prompt', name, '--no-wait', '--json', text);
  const { request_id, turn_id } = JSON.parse(stdout);
  if (turn_id !== null) return turn_id;
  const shown = await agents('requests', 'wait', name, request_id, '--json');
  return JSON.parse(shown.stdout).request.turn.turn_id;
};

describe('agents follow', () => {
  test.each([
    ['alpha', 'at its gateway', () => []],
    ['alpha', 'over a server', () => ['--server', server]],
    ['beta', 'without a gateway', () => []],
  ])('%s %s: a turn to its end, text on standard output', async (name, _where, over) => {
    const turnId = await prompted(name, '[[tool=Bash {"command":"ls"}]] [[drip=5]] follow me');
    const { code, stdout, stderr } = await agents('follow', name, turnId, ...over());
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^You said: follow me .*\n$/)]);
    expect(stderr).toMatch(/^Bash\(command=ls\)$/m);
    expect(stderr).toMatch(new RegExp(`^${turnId} completed$`, 'm'));
  });

  test('--json: an object per part', async () => {
    const turnId = await prompted('alpha', 'as objects');
    const { stdout } = await agents('follow', 'alpha', turnId, '--json');
    const parts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(parts.at(-1)).toMatchObject({ kind: 'ended', data: { turn_id: turnId } });
  });

  test('without an id: the turn that runs and every later one, until Ctrl-C, which says how to go on', async () => {
    // It runs until it is interrupted, however long the program takes to start.
    await agents('prompt', 'alpha', '--no-wait', '[[slow=600000]] first');
    const running = ['requests', 'list', 'alpha', '--state', 'running', '--json'];
    await expect.poll(async () => JSON.parse((await agents(...running)).stdout).requests).toHaveLength(1);
    const following = startManager(environment, ['agents', 'follow', 'alpha']);
    await following.saying(/^turn-\S+ \(runs already\)$/m);
    await agents('interrupt', 'alpha');
    await following.saying(/turn-\S+ interrupted/);
    await agents('prompt', 'alpha', 'second');
    await following.saying(/turn-(\S+) \(queue\)\nturn-\1 completed\n/);
    following.child.kill('SIGINT');
    const { code, stdout, stderr } = await following.ran;
    expect(code).toBe(130);
    expect(stdout).toMatch(/You said: second .*\n$/);
    expect(stderr).toMatch(/houmao-mgr agents follow alpha$/m);
  });

  test('names what is wrong: an unknown turn, and nothing that runs where no gateway tells of later turns', async () => {
    const unknown = await agents('follow', 'alpha', 'turn-none', '--json');
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error_code: 'unknown_turn' });
    expect(unknown.code).not.toBe(0);
    const nothing = await agents('follow', 'beta', '--json');
    expect([nothing.code, JSON.parse(nothing.stderr)]).toMatchObject([1, { error_code: 'no_turn' }]);
  });
});

describe('agents prompt on a terminal', () => {
  /** The screen of a window in which a command ran, once it has ended. */
  async function screenOf(...args: string[]): Promise<string> {
    const session = `prompt-${args.length}-${Date.now()}`;
    const command = ['agents', 'prompt', ...args].map((word) => `'${word}'`).join(' ');
    tmux.run('new-session', '-d', '-x', '100', '-y', '40', '-s', session, 'sh');
    const line = `PATH='${environment.PATH}' HOME='${folder}' HOUMAO_GLOBAL_RUNTIME_DIR='${folder}/runtime' HOUMAO_GLOBAL_REGISTRY_DIR='${folder}/registry' houmao-mgr ${command}; echo over-$?`;
    tmux.run('send-keys', '-t', `=${session}:`, '-l', line);
    tmux.run('send-keys', '-t', `=${session}:`, 'Enter');
    const screen = () => tmux.run('capture-pane', '-p', '-J', '-t', `=${session}:`);
    await expect.poll(screen, { timeout: 30_000 }).toMatch(/^over-\d+$/m);
    const shown = screen();
    tmux.run('kill-session', '-t', `=${session}`);
    return shown;
  }

  test.each(['alpha', 'beta'])(
    '%s: shows the answer as it comes, once, behind what the agent does',
    async (name) => {
      const shown = await screenOf(name, '[[tool=Bash {"command":"ls"}]] [[drip=20]] tell me');
      expect(shown).toMatch(
        /^Delivered: .*\nBash\(command=ls\)\nYou said: tell me \(turn \d+ of this conversation\)\nover-0$/m,
      );
    },
  );

  test('prints no text with --json', async () => {
    const shown = await screenOf('alpha', '[[drip=20]] tell me', '--json');
    expect(shown).toMatch(/^\{"answer":"You said: tell me /m);
    expect(shown).not.toMatch(/^You said/m);
  });
});
