import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readListedPane } from '../../../src/terminal/pane-listing.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const bit = fc.constantFrom('0', '1');
const oneLine = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ''));

test('each field is read from its own place, whatever a session is named and a title says', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.tuple(bit, bit, bit, bit),
      fc.nat(),
      oneLine.map((name) => name.replaceAll(':', '_')),
      oneLine,
      (its, pane, [begun, dead, inMode, alternate], pid, session, title) => {
        const line = `7 1795480000 $${its} %${pane} ${begun} ${dead} ${pid} ${inMode} ${alternate} 1795489248 ${session}:${title}`;
        expect(readListedPane(line)).toEqual({
          session,
          sessionId: `$${its}`,
          paneId: `%${pane}`,
          writtenAt: 1795489248,
          server: { pid: 7, startedAt: 1795480000 },
          begunByUs: begun === '1',
          status: {
            dead: dead === '1',
            inMode: inMode === '1',
            alternateScreen: alternate === '1',
            pid,
            title,
          },
        });
      },
    ),
  );
});

test.each(['', 'no sessions', '7 8 $0 %1 0 2 3 0 0 5 a:b', '7 8 0 %1 0 0 3 0 0 5 a:b'])(
  '%j is no line of a listing',
  (line) => {
    expect(readListedPane(line)).toBeNull();
  },
);

const { tmux, run } = ownTmux();

test('tmux lists the panes of a session and of no other, with blanks in its name and colons in a title', async () => {
  const place = await tmux.newSession('one agent', temporaryFolder(), {});
  await tmux.newSession('one agent more', temporaryFolder(), {});
  run('rename-window', '-t', '=one agent:0', 'none');
  run('select-pane', '-t', '=one agent:0.0', '-T', 'done: 1 of 2');
  const control = await tmux.control('one agent', { wrote: () => undefined, closed: () => undefined });
  try {
    const [pane, ...more] = await control.panes('one agent');
    expect(more).toEqual([]);
    expect(pane).toMatchObject({ session: 'one agent', paneId: place.paneId, begunByUs: false });
    expect(pane?.status).toMatchObject({ dead: false, inMode: false, title: 'done: 1 of 2' });
    await expect(control.panes('none')).rejects.toThrow("can't find session");
  } finally {
    await control.close();
  }
});

test('a pane that a command of ours was begun in is distinguished from any other', async () => {
  const folder = temporaryFolder();
  const place = await tmux.newSession('begun', folder, {});
  run('split-window', '-hb', '-t', place.paneId, 'exec sleep 600');
  const begun = async () =>
    (await tmux.panes()).filter(({ begunByUs }) => begunByUs).map(({ paneId }) => paneId);
  expect(await begun()).toEqual([]);
  await tmux.respawnPane(place.paneId, folder, `: '/x, y}/turn-runner.js'; exec sleep 600`);
  expect(await begun()).toEqual([place.paneId]);
  await tmux.respawnPane(place.paneId, folder, ': /x/terminal/start.sh; exec sleep 600');
  expect(await begun()).toEqual([place.paneId]);
});
