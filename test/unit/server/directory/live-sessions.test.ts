import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LiveSessions } from '../../../../src/server/directory/live-sessions.js';
import { Tmux } from '../../../../src/terminal/tmux.js';
import { ownTmux } from '../../../support/own-tmux.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let clock: VirtualClock;
let faults: string[];
const open = (...servers: Tmux[]): LiveSessions =>
  new LiveSessions(
    () => servers,
    clock,
    (fault) => void faults.push(fault),
  );
const other = ownTmux();
beforeAll(async () => {
  await tmux.tmux.newSession('always', folder, {});
  await other.tmux.newSession('there', folder, {});
});
afterAll(async () => void (await tmux.tmux.killSession('always')));
beforeEach(() => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  faults = [];
});

test('tmux is asked at most once a second, and once for all who ask together', async () => {
  const sessions = open(tmux.tmux);
  expect(sessions.ask()).toBe(sessions.ask());
  await sessions.ask();
  await tmux.tmux.newSession('new', folder, {});
  clock.pass(999);
  expect([await sessions.refresh(), sessions.has('new')]).toEqual([false, false]);
  clock.pass(1);
  expect([await sessions.refresh(), sessions.has('new')]).toEqual([true, true]);
  await tmux.tmux.killSession('new');
  expect([await sessions.refresh(), sessions.has('new')]).toEqual([false, true]);
  clock.pass(1000);
  expect([await sessions.refresh(), sessions.has('new')]).toEqual([true, false]);
  expect(faults).toEqual([]);
});

test('while a server cannot be asked, its last answer counts, which is reported once; others are asked', async () => {
  const switchedOn = join(folder, 'on');
  const program = join(folder, 'tmux');
  const real = execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
  writeFileSync(
    program,
    `#!/bin/sh\n[ -e '${switchedOn}' ] && exec '${real}' "$@"\necho 'no way' >&2\nexit 1\n`,
  );
  chmodSync(program, 0o700);
  const environment = { ...tmux.tmux.environment, PATH: `${folder}:${process.env.PATH}` };
  const sessions = open(new Tmux({ environment }), other.tmux);
  await sessions.ask();
  expect([sessions.has('always'), sessions.has('never')]).toEqual([true, true]);
  writeFileSync(switchedOn, '');
  expect(await sessions.ask()).toBe(true);
  expect(['always', 'there', 'never'].map((name) => sessions.has(name))).toEqual([true, true, false]);
  rmSync(switchedOn);
  await other.tmux.newSession('later', folder, {});
  expect(await sessions.ask()).toBe(true);
  expect(sessions.has('later')).toBe(true);
  for (let times = 0; times < 2; times += 1) expect(await sessions.ask()).toBe(false);
  expect([sessions.has('always'), sessions.has('never')]).toEqual([true, false]);
  // The first one ended in between.
  expect(faults).toEqual([expect.stringContaining('no way'), expect.stringContaining('no way')]);
});
