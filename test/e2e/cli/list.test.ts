// The output of `agents list` for every agent, and of `agents prune` for those that were stopped.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { manage, managerEnvironment, startManager } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const window = ownTmux();
const { PATH, HOME, ...ours } = managerEnvironment(folder);
const environment: NodeJS.ProcessEnv = { ...ours, ...window.tmux.environment, PATH, HOME };
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
const names = ['zeta', 'alpha', 'alone'];
let server = '';

async function launch(name: string, ...more: string[]): Promise<string> {
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--home', join(folder, 'home')];
  const launched = await agents('launch', ...tool, '--workdir', folder, '--json', '--name', name, ...more);
  expect(launched).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(launched.stdout).session_root;
}

beforeAll(async () => {
  server = JSON.parse((await run('server', 'start', '--port', '0', '--json')).stdout).api_base_url;
  for (const name of names) await launch(name, '--no-tmux', ...(name === 'alone' ? ['--no-gateway'] : []));
});
afterAll(async () => {
  for (const name of names) await agents('stop', name);
  await run('server', 'stop', '--port', '0');
});

interface Listed {
  agent_name: string;
  state: string;
  queue_depth: number | null;
  queue_paused: boolean | null;
  gateway_url: string | null;
}
const listed = async (...more: string[]): Promise<Listed[]> =>
  JSON.parse((await agents('list', '--json', ...more)).stdout).agents;

describe.each<[string, () => string[]]>([
  ['of this host', () => []],
  ['of a server', () => ['--server', server]],
])('the list %s', (_what, over) => {
  test('says of each agent how it is and what waits for it, in the order of their names', async () => {
    await agents('gateway', 'pause', 'alpha');
    await agents('prompt', 'alpha', 'waits', '--no-wait');
    const busy = startManager(environment, ['agents', 'prompt', 'zeta', '[[slow=60000]] long']);
    await busy.saying(/Delivered: /);
    const { stdout, stderr } = await agents('list', ...over());
    expect(stderr).toBe('');
    expect(stdout.replaceAll(/ +/g, ' ')).toMatch(
      new RegExp(
        [
          '^NAME TOOL STATE QUEUE GATEWAY VERSION SESSION',
          'alone claude ready - - - /\\S+',
          'alpha claude ready \\d+, paused http://127\\.0\\.0\\.1:\\d+ \\d+\\.\\d+\\.\\d+ /\\S+',
          'zeta claude working 0 http://127\\.0\\.0\\.1:\\d+ \\d+\\.\\d+\\.\\d+ /\\S+',
          'server http://127\\.0\\.0\\.1:\\d+ \\d+\\.\\d+\\.\\d+\n$',
        ].join('\n'),
      ),
    );
    expect(await listed(...over())).toMatchObject([
      {
        agent_name: 'HOUMAO-alone',
        state: 'ready',
        queue_depth: null,
        queue_paused: null,
        gateway_url: null,
      },
      { agent_name: 'HOUMAO-alpha', state: 'ready', queue_paused: true },
      { agent_name: 'HOUMAO-zeta', state: 'working', queue_depth: 1, queue_waiting: 0, queue_paused: false },
    ]);
    await agents('interrupt', 'zeta');
    await busy.ran;
    await agents('gateway', 'resume', 'alpha');
  });

  test('has only the agents of a state and of a tool where these are given', async () => {
    const named = async (...more: string[]): Promise<string[]> =>
      (await listed(...over(), ...more)).map(({ agent_name }) => agent_name);
    const every = names.map((name) => `HOUMAO-${name}`).sort();
    await expect.poll(() => named('--state', 'ready', '--tool', 'claude')).toEqual(every);
    expect(await named('--state', 'needs-you', '--state', 'no-answer')).toEqual([]);
    expect(await named('--tool', 'codex')).toEqual([]);
    expect((await agents('list', ...over(), '--tool', 'codex')).stdout).toMatch(/^No agent is like that\./);
  });
});

test('a state that there is not is refused, with those that there are', async () => {
  const { code, stderr } = await agents('list', '--state', 'asleep');
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs-you, tool-ended')]);
});

test('a gateway that hangs is reported as that, and does not keep the list waiting', async () => {
  const alpha = async () => (await listed()).find(({ agent_name }) => agent_name === 'HOUMAO-alpha');
  // Another test leaves it prompts.
  await expect.poll(alpha).toMatchObject({ state: 'ready', queue_depth: 0 });
  const { pid } = JSON.parse((await agents('gateway', 'attach', 'zeta', '--json')).stdout);
  process.kill(pid, 'SIGSTOP');
  const standing = Object.fromEntries((await listed()).map((one) => [one.agent_name, one.state]));
  process.kill(pid, 'SIGCONT');
  expect(standing).toMatchObject({ 'HOUMAO-zeta': 'no answer', 'HOUMAO-alpha': 'ready' });
});

test('on a terminal it fits the window', async () => {
  const command = [process.execPath, join(folder, '.programs', 'houmao-mgr'), 'agents', 'list'].join(' ');
  const variables = ['HOME', 'PATH', 'HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR'].flatMap(
    (name) => ['-e', `${name}=${environment[name]}`],
  );
  const size = ['-x', '72', '-y', '20'];
  window.run('new-session', '-d', '-s', 'narrow', ...size, ...variables, `${command}; echo done; cat`);
  const shown = () => window.run('capture-pane', '-p', '-t', 'narrow').trimEnd();
  await expect.poll(shown).toMatch(/\ndone$/);
  const rows = shown().split('\n');
  expect(rows).toHaveLength(names.length + 3);
  expect(rows[2]).toMatch(/^alpha +claude +\S+ .* …\S+$/);
});

const roots = (list: { session_root: string }[]) => list.map(({ session_root }) => session_root);

describe('prune', () => {
  beforeEach(async () => {
    expect(await agents('prune', '--yes')).toMatchObject({ code: 0 });
  });

  test('deletes the files of stopped agents on request, and nothing else', async () => {
    const [first, second] = [await launch('first', '--no-tmux'), await launch('second', '--no-tmux')];
    await agents('stop', 'first');
    const dry = JSON.parse((await agents('prune', '--dry-run', '--json')).stdout);
    expect([roots(dry.stopped), roots(dry.removed)]).toEqual([[first], []]);
    expect(dry.kept).toEqual([]);
    const refused = await agents('prune');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/would be deleted for good\. Do it: houmao-mgr agents prune --yes\n$/);
    expect(existsSync(first)).toBe(true);
    const done = await agents('prune', '--yes');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`  first  ${first}\n`) });
    expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
    await agents('stop', 'second');
    expect(roots(JSON.parse((await agents('prune', '--yes', '--json')).stdout).removed)).toEqual([second]);
    expect((await agents('prune')).stdout).toBe('No stopped agent has files here.\n');
    expect((await listed()).map(({ agent_name }) => agent_name)).toEqual([
      'HOUMAO-alone',
      'HOUMAO-alpha',
      'HOUMAO-zeta',
    ]);
  });

  test('leaves alone what may live: a tmux session, a gateway, what cannot be read', async () => {
    const inTmux = await launch('left', '--headless', '--no-gateway');
    const unstopped = await launch('unstopped', '--no-tmux', '--no-gateway');
    const serves = await launch('serves', '--no-tmux');
    const { gateway_url: url } = (await listed()).find(({ agent_name }) => agent_name === 'HOUMAO-serves')!;
    // As when somebody else has taken the registry's records away.
    const registry = join(folder, 'registry-of-another');
    const elsewhere = { ...environment, HOUMAO_GLOBAL_REGISTRY_DIR: registry };
    const torn = join(folder, 'runtime', 'sessions', 'claude_headless', 'torn');
    mkdirSync(torn);
    writeFileSync(join(torn, 'manifest.json'), '{');
    for (const root of [inTmux, serves, torn]) writeFileSync(join(root, 'stopped-at'), 'once\n');
    // A server would know these, too.
    await run('server', 'stop', '--port', '0');
    const { removed, kept } = JSON.parse(
      (await manage(elsewhere, ['agents', 'prune', '--dry-run', '--json'])).stdout,
    );
    server = JSON.parse((await run('server', 'start', '--port', '0', '--json')).stdout).api_base_url;
    expect(removed).toEqual([]);
    const reasons = Object.fromEntries(
      kept.map((one: { session_root: string; reason: string }) => [one.session_root, one.reason]),
    );
    expect(reasons[inTmux]).toMatch(/its tmux session \S+ runs/);
    expect(reasons[unstopped]).toBe('it was not stopped');
    expect(reasons[serves]).toBe('its gateway runs');
    expect(reasons[torn]).toContain('manifest.json');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    for (const name of ['left', 'serves', 'unstopped']) await agents('stop', name);
    rmSync(torn, { recursive: true });
  });

  test('asks on a terminal, and takes Ctrl-C for a no', async () => {
    const root = await launch('asked', '--no-tmux');
    await agents('stop', 'asked');
    const command = [process.execPath, join(folder, '.programs', 'houmao-mgr'), 'agents', 'prune'].join(' ');
    const variables = ['HOME', 'PATH', 'HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR'].flatMap(
      (name) => ['-e', `${name}=${environment[name]}`],
    );
    window.run('new-session', '-d', '-s', 'asks', '-x', '150', ...variables, `${command}; ${command}; cat`);
    const shown = () => window.run('capture-pane', '-p', '-t', 'asks').trimEnd();
    await expect.poll(shown).toMatch(/Delete 1 session \(\S+ MiB\) of stopped agents for good\? \[y\/N\]$/);
    window.run('send-keys', '-t', 'asks', 'C-c');
    await expect.poll(shown).toMatch(/Nothing was deleted\.\n(.*\n)+Delete 1 session.* \[y\/N\]$/);
    expect(existsSync(root)).toBe(true);
    window.run('send-keys', '-t', 'asks', 'y', 'Enter');
    await expect.poll(shown).toContain('Deleted 1 session (');
    expect(existsSync(root)).toBe(false);
  });
});

test.each(['agents list', 'agents prune --yes', 'agents doctor'])(
  'a registry that cannot be read is a fault of %s, and no empty one',
  async (command) => {
    const registry = join(folder, 'registry-is-a-file');
    writeFileSync(registry, 'no folder');
    const ran = await manage({ ...environment, HOUMAO_GLOBAL_REGISTRY_DIR: registry }, command.split(' '));
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(registry) });
  },
);

test('a launch without tmux, or with a limit for turns, is headless without saying so', async () => {
  const root = await launch('implied', '--turn-time-limit', '2h', '--no-gateway');
  await agents('stop', 'implied');
  expect(root).toContain('claude_headless');
  const unsaid = await agents(
    'launch',
    '--tool',
    'claude',
    '--executable',
    standinProgram,
    '--name',
    'unsaid',
  );
  expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining('--headless') });
});
