import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import type { RecordedPane, TmuxPaneLocation } from '../../../src/session/manifest-facts.js';
import { OwnTerminalSource } from '../../../src/terminal/terminal-sources.js';
import { TerminalWatch } from '../../../src/terminal/terminal-watch.js';
import type { TmuxControl } from '../../../src/terminal/tmux-control.js';
import { TerminalTracker } from '../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../src/terminal/tracker/tracker-timings.js';
import { claudeScreens } from '../../../src/tools/claude/screens/claude-screens.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const { tmux, run } = ownTmux();
let sessions = 0;
let session: string;
let place: TmuxPaneLocation;
let recorded: RecordedPane | null;
let watch: TerminalWatch;
let captures: number;
let connections: number;
let changes: number;

/** Counts what tmux is asked for. */
function counted(control: TmuxControl): TmuxControl {
  const ask = control.ask.bind(control);
  connections += 1;
  control.ask = (args) => {
    if (args[0] === 'capture-pane') captures += 1;
    return ask(args);
  };
  return control;
}

beforeEach(async () => {
  sessions += 1;
  session = `watched-${sessions}`;
  [captures, connections, changes] = [0, 0, 0];
  place = await tmux.newSession(session, folder, {});
  recorded = null;
  await tmux.respawnPane(place.paneId, folder, 'echo begun; exec cat');
  const timings = trackerTimings();
  watch = new TerminalWatch({
    session,
    recorded: () => recorded,
    source: {
      connect: async (to, listener) => counted(await tmux.control(to, listener)),
      follow: (to, look) =>
        new OwnTerminalSource(async () => tmux, { pollSeconds: 0.5, clock: systemClock }).follow(to, look),
    },
    tracker: new TerminalTracker({
      tool: 'claude',
      screens: claudeScreens,
      version: null,
      timings,
      clock: systemClock,
      rowsOf: toStyledRows,
    }),
    toolNames: new Set(['cat']),
    clock: systemClock,
    report: () => undefined,
    saw: () => undefined,
    heard: () => undefined,
    changed: () => {
      changes += 1;
    },
  });
});
afterEach(() => watch.stop());

const text = async () => (await watch.observe()).probe?.captured.excerpt ?? '';
const availability = async () => (await watch.observe()).diagnostics.availability;

test('what nothing was written to is not read again', async () => {
  await expect.poll(text).toContain('begun');
  // Output from before the first look may still be reported.
  await expect
    .poll(async () => {
      const before = captures;
      await text();
      return captures - before;
    })
    .toBe(0);
  const before = captures;
  for (let look = 0; look < 20; look += 1) await watch.observe();
  expect(captures).toBe(before);
  run('send-keys', '-t', `=${session}:0.0`, '-l', 'typed');
  await expect.poll(text).toContain('typed');
  expect(captures).toBeGreaterThan(before);
  expect(connections).toBe(1);
});

test('looks at one time are one look', async () => {
  const [one, other] = await Promise.all([watch.observe(), watch.observe()]);
  expect(one).toBe(other);
});

test('a connection that ends is made again', async () => {
  await expect.poll(text).toContain('begun');
  run('detach-client', '-s', session);
  await expect.poll(async () => (await watch.observe()) && connections).toBe(2);
  run('send-keys', '-t', `=${session}:0.0`, '-l', 'afterwards');
  await expect.poll(text).toContain('afterwards');
});

test('another program in the pane, a dead pane and a lost session are distinguished, and nothing of them is read', async () => {
  await expect.poll(text).toContain('begun');
  await tmux.respawnPane(place.paneId, folder, 'exec sleep 600');
  await expect.poll(availability).toBe('tui_down');
  const before = captures;
  run('set-option', '-p', '-t', `=${session}:0.0`, 'remain-on-exit', 'on');
  await tmux.respawnPane(place.paneId, folder, 'exit 0');
  await expect.poll(availability).toBe('tui_down');
  expect(captures).toBe(before);
  const reported = changes;
  await tmux.killSession(session);
  await expect.poll(availability).toBe('unavailable');
  expect(changes).toBeGreaterThan(reported);
  const { paneId } = await tmux.newSession(session, folder, {});
  await tmux.respawnPane(paneId, folder, 'echo again; exec cat');
  await expect.poll(text).toContain('again');
});

test.each(['before', 'after'])(
  'keys go to the agent, also where somebody has split its window and works beside it (%s the first look)',
  async (when) => {
    if (when === 'after') await expect.poll(text).toContain('begun');
    run('new-window', '-t', `=${session}:`, 'exec cat');
    run('split-window', '-b', '-t', `=${session}:0`, when === 'after' ? 'exec cat' : 'exec sleep 600');
    await expect.poll(text).toContain('begun');
    await (await watch.pane()).type([{ text: 'for the agent' }]);
    await expect.poll(text).toContain('for the agent');
  },
);

describe('with a record of its pane', () => {
  const recordedAs = ({ paneId, sessionId, pid, startedAt }: TmuxPaneLocation): RecordedPane => ({
    paneId,
    sessionId,
    server: { pid, startedAt },
  });

  test('it is looked at wherever it stands, whatever runs in other panes', async () => {
    recorded = recordedAs(place);
    run('set-option', '-t', session, 'base-index', '1');
    run('set-option', '-t', session, 'renumber-windows', 'on');
    const closed = run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', `=${session}:`, 'exec cat').trim();
    run('kill-pane', '-t', closed);
    run('split-window', '-hb', '-t', place.paneId, 'echo another; exec cat');
    await expect.poll(text).toContain('begun');
    await (await watch.pane()).type([{ text: 'for the agent' }]);
    await expect.poll(text).toContain('for the agent');
    expect(watch.lost).toBeNull();
  });

  test('once it is closed there is none, although the tool runs in another one', async () => {
    recorded = recordedAs(place);
    run('split-window', '-t', place.paneId, 'echo another; exec cat');
    await expect.poll(text).toContain('begun');
    run('kill-pane', '-t', place.paneId);
    await expect.poll(availability).toBe('unavailable');
    expect(watch.lost).toBe(`The agent's pane in the tmux session ${session} has been closed.`);
    await expect(watch.pane()).rejects.toThrow('has been closed');
  });

  test('a pane that is recorded later takes its place', async () => {
    recorded = recordedAs(place);
    const other = run(
      ...['split-window', '-P', '-F', '#{pane_id}', '-t', place.paneId, 'echo other; exec cat'],
    ).trim();
    await expect.poll(text).toContain('begun');
    run('kill-pane', '-t', place.paneId);
    recorded = recordedAs({ ...place, paneId: other });
    await expect.poll(text).toContain('other');
  });
});

test('callers that ask at once share one connection, and after the stop there is none', async () => {
  await Promise.all([watch.observe(), watch.pane(), watch.observe(), watch.pane()]);
  expect(connections).toBe(1);
  await watch.stop();
  await expect.poll(() => run('list-clients')).toBe('');
  const { state } = watch.tracker;
  expect(await watch.observe()).toBe(state);
  await expect(watch.pane()).rejects.toThrow('not watched any more');
  expect(connections).toBe(1);
});

test('at rest it looks only when it is asked, and goes on from what it knew', async () => {
  watch.start();
  await expect.poll(() => watch.tracker.state.probe?.captured.excerpt).toContain('begun');
  await watch.rest();
  expect([watch.watching, run('list-clients')]).toEqual([false, '']);
  const { state } = watch.tracker;
  run('send-keys', '-t', `=${session}:0.0`, '-l', 'meanwhile');
  await expect.poll(() => run('capture-pane', '-p', '-t', `=${session}:0.0`)).toContain('meanwhile');
  expect(watch.tracker.state).toBe(state);
  expect(await text()).toContain('meanwhile');
  await watch.rest();
  watch.start();
  watch.start();
  run('send-keys', '-t', `=${session}:0.0`, '-l', 'afterwards');
  await expect.poll(() => watch.tracker.state.probe?.captured.excerpt).toContain('afterwards');
  expect(connections).toBe(3);
});

test('a recent sight is reported without another look, unless nobody watches', async () => {
  await watch.observe();
  const { state } = watch.tracker;
  expect(await watch.seenWithin(60_000)).not.toBe(state);
  watch.start();
  await expect.poll(() => watch.tracker.state.probe?.captured.excerpt).toContain('begun');
  const seen = watch.tracker.state;
  expect(await watch.seenWithin(60_000)).toBe(seen);
  expect(await watch.seenWithin(0)).not.toBe(seen);
});
