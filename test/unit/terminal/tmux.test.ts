import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Tmux } from '../../../src/terminal/tmux.js';
import { TmuxFault } from '../../../src/terminal/tmux-fault.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const gone = ownTmux();
const silent = ownTmux();
const ending = ownTmux();
const { tmux, run } = ownTmux({ FOR_THE_SERVER: 'yes' });

beforeAll(() => tmux.newSession('one', folder, { FOR_THE_SESSION: 'also' }));

test('a session lives on its own server only, with the environment that was given', async () => {
  expect(await tmux.hasSession('one')).toBe(true);
  expect(await tmux.hasSession('other')).toBe(false);
  expect(await tmux.hasSession('on')).toBe(false);
  const elsewhere = new Tmux({ environment: { PATH: process.env.PATH }, socketPath: join(folder, 'other') });
  expect(await elsewhere.hasSession('one')).toBe(false);
  expect(run('list-windows', '-t', 'one', '-F', '#{window_index} #{window_name} #{pane_index}')).toBe(
    '0 agent 0\n',
  );
  expect(run('show-environment', '-t', 'one', 'FOR_THE_SESSION')).toBe('FOR_THE_SESSION=also\n');
  expect(run('show-environment', '-g', 'FOR_THE_SERVER')).toBe('FOR_THE_SERVER=yes\n');
});

test('a program started with its environment reaches the same server', async () => {
  const { TMUX_TMPDIR: _, ...rest } = process.env;
  expect(await new Tmux({ environment: { ...rest, ...tmux.environment } }).hasSession('one')).toBe(true);
  expect(new Tmux({ environment: { A: '1' } }).environment).toEqual({ A: '1' });
});

test('variables, windows and sessions come and go', async () => {
  await tmux.setEnvironment('one', { PLACE: 'here', ENDING: 'a;b;' });
  expect(run('show-environment', '-t', 'one', 'PLACE')).toBe('PLACE=here\n');
  expect(run('show-environment', '-t', 'one', 'ENDING')).toBe('ENDING=a;b;\n');
  await tmux.setEnvironment('one', { PLACE: null, ENDING: null });
  expect(() => run('show-environment', '-t', 'one', 'PLACE')).toThrow(/unknown variable/);

  const window = await tmux.newWindow('one', 'beside', folder, { SAID: 'x y' }, ['sh', '-c', 'sleep 600']);
  expect(window).toMatchObject({ windowIndex: '1', windowId: expect.stringMatching(/^@\d+$/) });
  const [first, second] = await tmux.panes();
  expect(second).toMatchObject({ session: 'one', paneId: window.paneId, sessionId: window.sessionId });
  expect(await tmux.killPane(window.paneId)).toBe(true);
  expect(await tmux.killPane(window.paneId)).toBe(false);
  expect((await tmux.panes()).map(({ paneId }) => paneId)).toEqual([first?.paneId]);

  await tmux.newSession('two', folder, {});
  expect(await tmux.killSession('two')).toBe(true);
  expect(await tmux.killSession('two')).toBe(false);
});

test('a session that cannot be made wholly is taken away again; one that was there before is not', async () => {
  await expect(tmux.newSession('one', folder, {})).rejects.toThrow(/^tmux new-session: duplicate session/);
  expect(await tmux.hasSession('one')).toBe(true);
  await expect(tmux.newSession('half', folder, { 'NO=NAME': 'x' })).rejects.toThrow(TmuxFault);
  expect(await tmux.hasSession('half')).toBe(false);
});

test('a missing program and a server that may not be asked are faults, not missing sessions', async () => {
  const none = new Tmux({ environment: { PATH: '/nowhere' } });
  await expect(none.hasSession('one')).rejects.toThrow(/tmux was not found; install/);
  await expect(none.killSession('one')).rejects.toThrow(TmuxFault);
  const refusing = join(folder, 'tmux');
  writeFileSync(refusing, '#!/bin/sh\necho "error connecting to /x (Permission denied)" >&2\nexit 1\n');
  chmodSync(refusing, 0o755);
  const refused = new Tmux({ environment: { PATH: `${folder}:${process.env.PATH}` } });
  await expect(refused.hasSession('one')).rejects.toThrow('tmux has-session: error connecting to /x');
  await expect(refused.panes()).rejects.toThrow(TmuxFault);
});

test('a server that has gone has no sessions', async () => {
  await gone.tmux.newSession('last', folder, {});
  gone.run('kill-server');
  expect(await gone.tmux.hasSession('last')).toBe(false);
  expect(await gone.tmux.panes()).toEqual([]);
});

test('a server that does not answer is reported as that, and nothing of it as not there', async () => {
  await silent.tmux.newSession('there', folder, {});
  const server = Number(silent.run('display-message', '-p', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  try {
    const asked = [
      silent.tmux.sessionNames(),
      silent.tmux.hasSession('there'),
      silent.tmux.panes(),
      silent.tmux.killSession('there'),
    ];
    for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
      expect([status, reason?.message]).toEqual([
        'rejected',
        expect.stringMatching(/^tmux \S+: it did not answer within 5 s$/),
      ]);
  } finally {
    process.kill(server, 'SIGCONT');
  }
});

test('a server that ends with its last session keeps nobody from a new one, and has none', async () => {
  for (let round = 0; round < 60; round += 1) {
    await ending.tmux.newSession('last', folder, {});
    const killed = ending.tmux.killSession('last');
    // The server ends some milliseconds after that, at another moment each time.
    await new Promise((resolve) => setTimeout(resolve, round % 12));
    const [had, has] = await Promise.all([
      killed,
      ending.tmux.hasSession('none'),
      ending.tmux.newSession('next', folder, {}),
    ]);
    expect([had, has, await ending.tmux.killSession('next')]).toEqual([true, false, true]);
  }
});
