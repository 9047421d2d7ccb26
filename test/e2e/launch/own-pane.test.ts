// People set up tmux as they like, and work in the agent's session: windows are renumbered, closed and split. The agent is its pane, by
// the pane's id, and no other pane is ever ended.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { identify, isAlive, type ProcessIdentity, signalProcess } from '../../../src/foundation/processes.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
const { PATH, HOME, ...ours } = managerEnvironment(folder);
const environment = { ...ours, ...tmux.tmux.environment, PATH, HOME, SHELL: '/bin/sh' };
const agents = (...args: string[]) => manage(environment, ['agents', ...args]);
writeFileSync(join(folder, '.tmux.conf'), 'set -g base-index 1\nset -g renumber-windows on\n');

interface Launched {
  session: string;
  manifest: string;
  gatewayPid: number;
}
let people: string[] = [];
afterEach(async () => {
  await agents('stop', 'alpha');
  for (const pane of people) tmux.run('kill-pane', '-t', pane);
  people = [];
});

/** @param recorded whether its manifest says which pane it is; those of earlier releases do not. */
async function launch(kind: string, recorded: boolean): Promise<Launched> {
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--home', join(folder, 'home')];
  const { stdout } = await agents(
    ...['launch', ...tool, kind, '--workdir', folder, '--name', 'alpha', '--json'],
  );
  const { tmux_session_name: session, manifest_path: manifest, session_root: root } = JSON.parse(stdout);
  const content = JSON.parse(readFileSync(manifest, 'utf8'));
  const [pane] = panes(session);
  expect(content.backend_state.tmux_pane).toMatchObject({ pane_id: pane!.id });
  expect(content.tmux.primary_window_index).toBe('0');
  if (!recorded) {
    delete content.backend_state.tmux_pane;
    writeFileSync(manifest, JSON.stringify(content));
  }
  const instance = JSON.parse(readFileSync(join(root, 'gateway/run/current-instance.json'), 'utf8'));
  return { session, manifest, gatewayPid: instance.pid };
}

const panes = (session: string): { id: string; window: string; pid: number }[] =>
  tmux
    .run('list-panes', '-s', '-t', `=${session}:`, '-F', '#{pane_id} #{window_index} #{pane_pid}')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([id = '', window = '', pid]) => ({ id, window, pid: Number(pid) }));

/** Somebody's pane to the left of the agent's, and a window that is closed again: then the agent's is no longer window 0. */
function workBeside(session: string): ProcessIdentity {
  const [agent] = panes(session);
  const [id = '', pid] = tmux
    .run('split-window', '-dhb', '-P', '-F', '#{pane_id} #{pane_pid}', '-t', agent!.id, 'exec sleep 600')
    .trim()
    .split(' ');
  people.push(id);
  const closed = tmux.run(
    'new-window',
    '-d',
    '-P',
    '-F',
    '#{pane_id}',
    '-t',
    `=${session}:`,
    'exec sleep 600',
  );
  tmux.run('kill-pane', '-t', closed.trim());
  expect(panes(session).map(({ window }) => window)).toEqual(['1', '1']);
  return identify(Number(pid))!;
}

const answer = async (prompt: string): Promise<string> => (await agents('prompt', 'alpha', prompt)).stdout;

describe.each([['--headless'], ['--tui']])('beside an agent %s', (kind) => {
  test.each([
    ['whose record names its pane', true],
    ['whose record is of an earlier release', false],
  ])('%s, somebody works in its window', async (_name, recorded) => {
    const { session, manifest, gatewayPid } = await launch(kind, recorded);
    const others = workBeside(session);
    expect(await answer('one')).toContain('You said: one');
    expect(await answer('two')).toContain('You said: two');
    expect((await agents('doctor', 'alpha')).code).toBe(0);

    signalProcess(gatewayPid, 'SIGKILL');
    await agents('gateway', 'attach', 'alpha');
    expect(await answer('three')).toContain('You said: three');
    expect(isAlive(others)).toBe(true);

    const stopped = await agents('stop', 'alpha');
    expect(stopped.code).toBe(0);
    expect(stopped.stdout).toContain(`attach -t ${session}`);
    expect(isAlive(others)).toBe(true);
    expect(panes(session).map(({ id }) => id)).toEqual(people);
    // The processes left there are not the agent's, so its files may go; without a record that is not known.
    expect((await agents('prune', '--yes')).code).toBe(0);
    expect(existsSync(manifest)).toBe(!recorded);
    expect(isAlive(others)).toBe(true);
  });
});

test('a headless agent whose pane was closed gets another one, and what was left beside it runs on', async () => {
  const { session, manifest } = await launch('--headless', true);
  const others = workBeside(session);
  const [own] = panes(session).filter(({ id }) => !people.includes(id));
  tmux.run('kill-pane', '-t', own!.id);
  expect(await answer('one')).toContain('You said: one');
  const [next] = panes(session).filter(({ id }) => !people.includes(id));
  expect(JSON.parse(readFileSync(manifest, 'utf8')).backend_state.tmux_pane).toMatchObject({
    pane_id: next!.id,
  });
  expect(await answer('two')).toContain('You said: two');
  expect(panes(session)).toHaveLength(2);
  expect(isAlive(others)).toBe(true);
});

test('an agent in a terminal whose pane was closed is gone, whatever runs beside it', async () => {
  const { session } = await launch('--tui', true);
  const others = workBeside(session);
  const [own] = panes(session).filter(({ id }) => !people.includes(id));
  tmux.run('kill-pane', '-t', own!.id);
  const { code, stdout } = await agents('doctor', 'alpha');
  expect([code, stdout]).toEqual([1, expect.stringContaining('has been closed')]);
  expect((await agents('stop', 'alpha')).code).toBe(0);
  expect(isAlive(others)).toBe(true);
});

test('an agent whose pane was moved to another session is stopped there', async () => {
  const { session } = await launch('--tui', true);
  const [own] = panes(session);
  tmux.run('new-session', '-d', '-s', 'mine', 'exec sleep 600');
  const [mine] = panes('mine');
  people.push(mine!.id);
  tmux.run('join-pane', '-d', '-s', own!.id, '-t', mine!.id);
  const process = identify(own!.pid)!;
  expect((await agents('stop', 'alpha')).code).toBe(0);
  expect(isAlive(process)).toBe(false);
  expect(panes('mine').map(({ id }) => id)).toEqual([mine!.id]);
});
