import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTimeOf } from '../../../src/foundation/processes.js';
import { Pane } from '../../../src/terminal/pane.js';
import { TmuxControl } from '../../../src/terminal/tmux-control.js';
import { startTrouble, TmuxFault } from '../../../src/terminal/tmux-fault.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const { tmux, socketPath, run } = ownTmux();
const environment = { PATH: process.env.PATH, HOME: folder };

let control: TmuxControl;
let pane: Pane;
const wrote: string[] = [];
const closed: string[] = [];
let heard: string;
let sessions = 0;

beforeAll(async () => {
  await tmux.newSession('kept', folder, {});
});

/** A pane whose program notes every byte it gets in a file, with pastes in brackets. */
beforeEach(async () => {
  sessions += 1;
  const session = `s${sessions}`;
  heard = join(folder, `heard-${sessions}`);
  writeFileSync(heard, '');
  const { paneId: id } = await tmux.newSession(session, folder, {});
  const script = `stty raw -echo; printf '\\033[?2004hready'; exec cat >> ${heard}`;
  await tmux.respawnPane(id, folder, `exec /bin/sh -c "${script.replaceAll('"', '\\"')}"`);
  wrote.length = 0;
  closed.length = 0;
  control = await TmuxControl.open({
    environment,
    socketPath,
    session,
    wrote: (paneId) => void wrote.push(paneId),
    closed: (reason) => void closed.push(reason),
  });
  pane = new Pane(control, id);
  await expect.poll(() => pane.capture(0)).toContain('ready');
});
afterEach(() => control.close());

const bytes = () => readFileSync(heard, 'utf8');
const hears = (text: string) => expect.poll(bytes).toBe(text);
const paste = async (text: string, into = pane): Promise<boolean> => {
  const file = join(folder, 'prompt');
  writeFileSync(file, text, { mode: 0o600 });
  await into.load('houmao-test', file);
  return into.paste('houmao-test');
};
const buffers = () => run('list-buffers').split('\n').filter(Boolean);

describe('a pane', () => {
  test('says what is in it, and tells when its program writes', async () => {
    expect(await pane.status()).toMatchObject({ dead: false, inMode: false, alternateScreen: false });
    expect((await pane.status()).pid).toBeGreaterThan(1);
    wrote.length = 0;
    run('send-keys', '-t', pane.id, '-l', 'x');
    await hears('x');
    run('respawn-pane', '-k', '-t', pane.id, "printf 'more than before'; sleep 600");
    await expect.poll(() => wrote).toContain(pane.id);
    await expect.poll(() => pane.capture(0)).toContain('more than before');
  });

  test('takes text as it is, and keys by their names', async () => {
    const text = '- a;b;\ttab 漢 "quoted" $HOME #{pane_id} \'single\' \\ ~ ;';
    await pane.type([{ text }, { key: 'Enter' }, { text: ';' }, { key: 'C-u' }]);
    await hears(`${text}\r;\u0015`);
  });

  test('takes a paste in brackets, of any size, and the buffer is gone', async () => {
    const text = `first\nsecond ${'x'.repeat(300_000)}`;
    expect(await paste(text)).toBe(true);
    await hears(`\u001b[200~${text.replace('\n', '\r')}\u001b[201~`);
    expect(buffers()).toEqual([]);
  });

  test('in which somebody scrolls gets nothing until it is left', async () => {
    run('copy-mode', '-t', pane.id);
    expect((await pane.status()).inMode).toBe(true);
    expect(await paste('lost')).toBe(false);
    expect(buffers()).toEqual([]);
    await pane.leaveMode();
    await pane.leaveMode();
    expect((await pane.status()).inMode).toBe(false);
    expect(await paste('now')).toBe(true);
    await hears('\u001b[200~now\u001b[201~');
  });

  test('that is dead takes no paste, and the server lives on', async () => {
    run('set-option', '-p', '-t', pane.id, 'remain-on-exit', 'on');
    run('respawn-pane', '-k', '-t', pane.id, 'exit 3');
    await expect.poll(async () => (await pane.status()).dead).toBe(true);
    expect(await paste('into nothing')).toBe(false);
    expect(buffers()).toEqual([]);
    expect(await tmux.hasSession('kept')).toBe(true);
  });

  test('that is gone is a fault, which names what tmux said', async () => {
    const gone = new Pane(control, '%9999');
    await expect(gone.status()).rejects.toThrow(TmuxFault);
    await expect(gone.capture(0)).rejects.toThrow("can't find pane: %9999");
    await expect(gone.type([{ key: 'Enter' }])).rejects.toThrow("can't find pane: %9999");
    await expect(paste('x', gone)).rejects.toThrow("can't find pane: %9999");
    await pane.load('houmao-test', '/nowhere/at/all');
    await expect(pane.paste('houmao-test')).rejects.toThrow('no buffer houmao-test');
    expect(buffers()).toEqual([]);
  });
});

describe('a connection', () => {
  test('answers each question with its own answer, however many are under way', async () => {
    const asked = Array.from({ length: 50 }, (_, index) =>
      index % 3 === 0
        ? control.askAll([
            'if-shell',
            '-F',
            '1',
            `display-message -p a${index} ; display-message -p b${index}`,
          ])
        : control.ask(['display-message', '-p', `n${index}`]),
    );
    expect(await Promise.all(asked)).toEqual(
      asked.map((_, index) => (index % 3 === 0 ? [`a${index}`, `b${index}`] : [`n${index}`])),
    );
  });

  test('whose session ends fails what is asked, and says so once', async () => {
    const late = expect(
      control.ask(['kill-session', '-t', `=s${sessions}`]).catch(() => []),
    ).resolves.toEqual([]);
    await late;
    await expect.poll(() => closed.length).toBe(1);
    await expect(control.ask(['display-message', '-p', 'x'])).rejects.toThrow(TmuxFault);
    await control.close();
    expect(closed).toHaveLength(1);
  });

  test('to no session, and without tmux, is refused', async () => {
    const open = (more: object) =>
      TmuxControl.open({
        environment,
        socketPath,
        session: 'nowhere',
        wrote: () => undefined,
        closed: () => undefined,
        ...more,
      });
    await expect(open({})).rejects.toThrow(/can't find session/);
    await expect(open({ environment: { PATH: '/nowhere' } })).rejects.toThrow(
      new TmuxFault(`tmux attach-session: ${startTrouble({ code: 'ENOENT', message: '' })}`, {
        unanswered: true,
      }),
    );
  });

  test('to no server starts none', async () => {
    const nowhere = join(folder, 'nowhere');
    const asked = { environment, socketPath: nowhere, session: 'kept' };
    const unheard = { wrote: () => undefined, closed: () => undefined };
    await expect(TmuxControl.open({ ...asked, ...unheard })).rejects.toThrow(/error connecting to/);
    expect(existsSync(nowhere)).toBe(false);
  });

  test('ends when it is closed, also while its pane never stops writing', async () => {
    const [pid] = await control.ask(['display-message', '-p', '#{client_pid}']);
    run('respawn-pane', '-k', '-t', pane.id, 'exec yes hello');
    await expect.poll(() => wrote.length).toBeGreaterThan(1000);
    await control.close();
    expect(startTimeOf(Number(pid))).toBeNull();
    expect(run('list-clients')).toBe('');
    expect(closed).toHaveLength(1);
  });

  test('never changes the size of a window', async () => {
    expect(run('display-message', '-p', '-t', pane.id, '#{pane_width}x#{pane_height}')).toBe('200x50\n');
  });
});
