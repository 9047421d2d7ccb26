import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apartPath } from '../../../src/terminal/attach-apart.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const { tmux, run } = ownTmux();
const plain = ownTmux();

test('a server outlives connections that come while sessions do', async () => {
  await tmux.newSession('stays', folder, {});
  const server = run('display-message', '-p', '#{pid}');
  let isOver = false;
  const connect = async (): Promise<void> => {
    while (!isOver) {
      const control = await tmux.control('stays', { wrote: () => undefined, closed: () => undefined });
      await control.close();
    }
  };
  const comeAndGo = async (name: string): Promise<void> => {
    for (let round = 0; round < 60; round += 1) {
      await tmux.newSession(name, folder, {});
      await tmux.killSession(name);
    }
  };
  const connecting = [connect(), connect()];
  await Promise.all([comeAndGo('a'), comeAndGo('b')]).finally(() => {
    isOver = true;
  });
  await Promise.all(connecting);
  expect(run('display-message', '-p', '#{pid}')).toBe(server);
});

test.each([
  [{ socketPath: '/a/s', environment: { TMUX: '/b,1,2' } }, '/a/s.houmao'],
  [{ socketPath: null, environment: { TMUX: '/b,1,2', TMUX_TMPDIR: '/c' } }, '/b.houmao'],
  [{ socketPath: null, environment: { TMUX_TMPDIR: '/c' } }, `/c/tmux-${process.getuid?.()}/default.houmao`],
  [{ socketPath: null, environment: { TMUX: '' } }, `/tmp/tmux-${process.getuid?.()}/default.houmao`],
])('programs of %o wait for each other at %s', (place, path) => {
  expect(apartPath(place)).toBe(path);
});

// https://github.com/tmux/tmux/pull/4980: fails where this tmux has it mended; then the workaround can go once no older one is used.
test('without it a server of this version does not', async () => {
  const tmuxOf = (...args: string[]) => {
    const asked = spawn('tmux', ['-S', plain.socketPath, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    return new Promise<void>((resolve) => {
      asked.stdout.once('data', () => asked.stdin.end());
      asked.stdin.on('error', () => undefined);
      asked.on('close', () => resolve());
    });
  };
  const pidOf = (): string => {
    try {
      return execFileSync('tmux', ['-S', plain.socketPath, 'display-message', '-p', '#{pid}'], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch {
      return 'gone';
    }
  };
  await plain.tmux.newSession('stays', join(folder), {});
  const server = pidOf();
  let isOver = false;
  const repeat = async (...calls: string[][]): Promise<void> => {
    while (!isOver) for (const call of calls) await tmuxOf(...call);
  };
  const comeAndGo = (name: string) => repeat(['new-session', '-d', '-s', name], ['kill-session', '-t', name]);
  const all = [comeAndGo('a'), comeAndGo('b'), repeat(['-C', 'attach']), repeat(['-C', 'attach'])];
  await expect
    .poll(pidOf, { timeout: 50_000, interval: 50 })
    .not.toBe(server)
    .finally(() => {
      isOver = true;
    });
  await Promise.all(all);
});
