import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import { processTree } from '../../../src/terminal/process-tree.js';
import { SharedTmux } from '../../../src/terminal/terminal-sources.js';
import { TerminalWatch } from '../../../src/terminal/terminal-watch.js';
import { TerminalTracker } from '../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../src/terminal/tracker/tracker-timings.js';
import { claudeScreens } from '../../../src/tools/claude/screens/claude-screens.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const { tmux, run, socketPath } = ownTmux();
let shared: SharedTmux;
let watches: TerminalWatch[];
let sessions = 0;
let faults: string[];

beforeEach(() => {
  shared = new SharedTmux({ tmux, clock: systemClock, pollSeconds: 0.1 });
  watches = [];
  faults = [];
});
afterEach(async () => {
  await Promise.all(watches.map((watch) => watch.stop()));
  await shared.close();
  expect(faults).toEqual([]);
  expect(clients()).toEqual([]);
});

/** The programs that this process has started to ask tmux. */
const clients = () => processTree(process.pid).filter(({ args }) => args.includes('-C'));

async function pane(command = 'echo begun; exec cat', name = `shared-${++sessions}`): Promise<string> {
  const { paneId } = await tmux.newSession(name, folder, {});
  await tmux.respawnPane(paneId, folder, command);
  return name;
}

/** @param saw called at each look. */
function watched(session: string, saw: () => void = () => undefined): TerminalWatch {
  const timings = trackerTimings({
    final_stable_active_recovery_seconds: 1,
    unknown_to_stalled_timeout_seconds: 1,
    stale_active_recovery_seconds: 1,
  });
  const watch = new TerminalWatch({
    session,
    recorded: () => null,
    source: shared,
    tracker: new TerminalTracker({
      tool: 'claude',
      screens: claudeScreens,
      version: null,
      timings,
      clock: systemClock,
      rowsOf: toStyledRows,
      mostSnapshots: 5,
    }),
    toolNames: new Set(['cat']),
    clock: systemClock,
    saw,
    heard: () => undefined,
    changed: () => undefined,
    report: (fault) => faults.push(fault),
  });
  watches.push(watch);
  watch.start();
  return watch;
}

const textOf = (watch: TerminalWatch): string => watch.tracker.state.probe?.captured.excerpt ?? '';
const availabilityOf = (watch: TerminalWatch): string => watch.tracker.state.diagnostics.availability;
const type = (session: string, text: string): string => run('send-keys', '-t', `=${session}:0.0`, '-l', text);

test('many terminals share one connection, each has its own text, and what is written later is seen', async () => {
  const [one, other] = [await pane(), await pane('echo other; exec cat')];
  const [first, second] = [watched(one), watched(other)];
  await expect.poll(() => textOf(first)).toContain('begun');
  await expect.poll(() => textOf(second)).toContain('other');
  expect(clients()).toHaveLength(1);
  expect(run('list-clients').trim().split('\n')).toHaveLength(1);
  for (const word of ['once', 'twice', 'again']) {
    type(other, word);
    await expect.poll(() => textOf(second)).toContain(word);
  }
  expect(textOf(first)).not.toContain('once');
  await (await first.pane()).type([{ text: 'typed here' }]);
  await expect.poll(async () => (await first.observe()).probe?.captured.excerpt).toContain('typed here');
});

test('a terminal whose session was made after the connection is found, and one that ends is reported alone', async () => {
  const early = watched(await pane());
  const late = watched('shared-later');
  await expect.poll(() => textOf(early)).toContain('begun');
  await expect.poll(() => availabilityOf(late)).toBe('unavailable');
  await pane('echo late; exec cat', 'shared-later');
  await expect.poll(() => textOf(late)).toContain('late');
  await tmux.killSession('shared-later');
  await expect.poll(() => availabilityOf(late)).toBe('unavailable');
  expect(textOf(early)).toContain('begun');
});

test('a pane whose program has ended is not read, and counts again when it is started again', async () => {
  const session = await pane();
  const watch = watched(session);
  await expect.poll(() => textOf(watch)).toContain('begun');
  // Before that the shell is in its place, which is no program of the agent either.
  await expect.poll(() => watch.tracker.state.diagnostics.process).toBe('tui_up');
  run('set-option', '-p', '-t', `=${session}:0.0`, 'remain-on-exit', 'on');
  run('send-keys', '-t', `=${session}:0.0`, 'C-c');
  await expect.poll(() => availabilityOf(watch)).toBe('tui_down');
  await expect.poll(() => watch.status?.dead).toBe(true);
  const [dead] = (await tmux.panes()).filter((one) => one.session === session);
  await tmux.respawnPane(dead!.paneId, folder, 'echo again; exec cat');
  await expect.poll(() => textOf(watch)).toContain('again');
});

test('where the session ends that the connection is of, the others are never reported as faulty', async () => {
  const kept = watched(await pane());
  await expect.poll(() => textOf(kept)).toContain('begun');
  const attached = run('list-clients', '-F', '#{session_name}').trim();
  const other = watched(await pane());
  await expect.poll(() => textOf(other)).toContain('begun');
  await tmux.killSession(attached);
  await expect.poll(() => availabilityOf(kept)).toBe('unavailable');
  await expect.poll(() => run('list-clients', '-F', '#{session_name}').trim()).not.toBe(attached);
  type(run('list-clients', '-F', '#{session_name}').trim(), 'goes on');
  await expect.poll(() => textOf(other)).toContain('goes on');
  const reported = other.tracker.history(0).map(({ diagnostics }) => diagnostics.availability);
  expect(reported).not.toContain('error');
  expect(clients()).toHaveLength(1);
});

test('a tmux server that dies and comes back is found again', async () => {
  const session = await pane();
  const watch = watched(session);
  await expect.poll(() => textOf(watch)).toContain('begun');
  const server = Number(run('display-message', '-p', '#{pid}'));
  const identity = identify(server);
  process.kill(server, 'SIGKILL');
  await expect.poll(() => availabilityOf(watch)).toBe('unavailable');
  await expect.poll(() => identity && isAlive(identity)).toBe(false);
  expect(clients()).toEqual([]);
  await pane('echo back; exec cat', session);
  await expect.poll(() => textOf(watch)).toContain('back');
});

test('without a server nothing is started, and the terminal is unavailable', async () => {
  try {
    run('kill-server');
  } catch {
    // There was none.
  }
  const watch = watched('nowhere');
  await expect.poll(() => availabilityOf(watch)).toBe('unavailable');
  expect(() => run('list-sessions')).toThrow(socketPath);
});

test('a hundred idle terminals are listed together, and each of them is looked at in one round of eleven', async () => {
  const names: string[] = [];
  for (let index = 0; index < 100; index += 1) names.push(await pane());
  const looks = names.map(() => 0);
  const all = names.map((name, index) =>
    watched(name, () => {
      looks[index]! += 1;
    }),
  );
  await expect
    .poll(() => all.every((watch) => textOf(watch).includes('begun')), { timeout: 60_000 })
    .toBe(true);
  await expect.poll(() => all.every((watch) => watch.tracker.settled), { timeout: 60_000 }).toBe(true);
  expect(clients()).toHaveLength(1);
  const before = [...looks];
  let rounds = 0;
  const counting = shared.follow(names[0]!, async () => {
    rounds += 1;
  });
  await expect.poll(() => rounds, { timeout: 60_000 }).toBeGreaterThan(44);
  type(names[7] ?? '', 'something');
  await expect.poll(() => textOf(all[7] as TerminalWatch)).toContain('something');
  await counting.stop();
  // A round may have been under way at the beginning, and another one at the end.
  const most = Math.ceil((rounds + 2) / 11);
  const later = looks.map((count, index) => count - before[index]!);
  expect(later.filter((count, index) => index !== 7 && count > most)).toEqual([]);
}, 180_000);
