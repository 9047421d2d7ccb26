import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startStandin } from './standin-pane.js';

const folder = temporaryFolder();
const own = ownTmux();
const launch = (switches: string, args = '') => startStandin(own, folder, { switches, args });

describe('input that goes astray', () => {
  test('drop-enter loses Enter, and the text stays', async () => {
    const standin = await launch('drop-enter=1');
    await standin.ready();
    await standin.send('x');
    await standin.type('y');
    await expect.poll(standin.box).toBe('❯ xy');
    expect(standin.prompts()).toEqual([]);
    await standin.press('Enter');
    await expect.poll(standin.prompts).toEqual(['xy']);
  });

  test('enter-as-newline breaks the line', async () => {
    const standin = await launch('enter-as-newline=1');
    await standin.ready();
    await standin.send('x');
    await standin.send('y');
    await expect.poll(standin.prompts).toEqual(['x\ny']);
  });

  test('swallow-paste loses a paste', async () => {
    const standin = await launch('swallow-paste=1');
    await standin.ready();
    await standin.paste('lost');
    await standin.press('Enter');
    await standin.paste('kept');
    await standin.press('Enter');
    await expect.poll(standin.prompts).toEqual(['kept']);
  });

  test('deaf-start and deaf-after-turn hear nothing for a while', async () => {
    const standin = await launch('deaf-start=3000,deaf-after-turn=3000');
    await standin.ready();
    await standin.type('lost');
    /** Types a letter until it is seen. */
    const heard = (letter: string) =>
      expect
        .poll(async () => {
          if ((await standin.box()) === '❯') await standin.type(letter);
          return standin.box();
        })
        .toMatch(new RegExp(`^❯ ${letter}+$`));
    await heard('a');
    await standin.press('Enter');
    await expect.poll(standin.outcomes).toEqual(['answered']);
    await standin.type('lost too');
    await heard('b');
    await standin.press('Enter');
    await expect.poll(() => standin.prompts().length).toBe(2);
    expect(standin.prompts().join(' ')).toMatch(/^a+ b+$/);
  });
});

describe('drawing that goes astray', () => {
  test('late-echo takes Enter before the text is seen', async () => {
    const standin = await launch('late-echo=60000');
    await standin.ready();
    await standin.send('unseen');
    await standin.shows('● You said: unseen');
    expect(await standin.box()).toBe('❯');
  });

  test('slow-draw shows everything later', async () => {
    const standin = await launch('slow-draw=3000');
    await expect.poll(() => standin.record()?.status).toBe('idle');
    expect(await standin.box()).toBeNull();
    await standin.ready();
    await standin.send('x');
    await expect.poll(standin.outcomes).toEqual(['answered']);
    expect((await standin.rows()).join('\n')).not.toContain('You said');
    await standin.shows('● You said: x');
  });

  test('clock changes the footer', async () => {
    const standin = await launch('clock');
    await standin.ready();
    const times = new Set<string>();
    await expect
      .poll(async () => {
        const time = /\d\d:\d\d:\d\d$/.exec((await standin.rows()).at(-1) ?? '')?.[0];
        if (time !== undefined) times.add(time);
        return times.size;
      })
      .toBeGreaterThan(1);
  });

  test('redraw writes the same rows again and again', async () => {
    const standin = await launch('redraw');
    await standin.ready();
    const written = join(standin.home, 'written');
    writeFileSync(written, '');
    own.run('pipe-pane', '-t', standin.pane.id, `cat >> ${written}`);
    const screens = new Set<string>();
    await expect
      .poll(async () => {
        screens.add(await standin.styled());
        return statSync(written).size;
      })
      .toBeGreaterThan(20_000);
    expect(screens.size).toBe(1);
  });

  test('long-output makes answers long', async () => {
    const standin = await launch('long-output=200');
    await standin.ready();
    await standin.send('x');
    await standin.shows('row 200 of a long answer');
    await standin.ready();
    expect((await standin.rows(1000)).some((row) => row.endsWith('row 1 of a long answer'))).toBe(false);
  });

  test('no-alternate-screen scrolls with the pane', async () => {
    const standin = await launch('no-alternate-screen,long-output=80');
    await standin.ready();
    expect(await standin.pane.status()).toMatchObject({ alternateScreen: false });
    for (const prompt of ['one', 'two']) {
      await standin.send(prompt);
      await expect.poll(() => standin.prompts().at(-1)).toBe(prompt);
      await standin.ready();
    }
    await expect.poll(standin.outcomes).toEqual(['answered', 'answered']);
    await standin.ready();
    const past = async (shown: (row: string) => boolean) => (await standin.rows(1000)).filter(shown);
    await expect
      .poll(() => past((row) => row.startsWith('● You said: ')))
      .toEqual([
        '● You said: one (turn 1 of this conversation)',
        '● You said: two (turn 2 of this conversation)',
      ]);
    await expect.poll(() => past((row) => row.endsWith(' row 7 of a long answer'))).toHaveLength(2);
  });
});

describe('dialogs at odd times', () => {
  const tool = '[[tool=Bash {"command":"ls"}]]';

  test('permission-late: what comes before it is drawn only waits', async () => {
    const standin = await launch('permission-late=4000');
    await standin.ready();
    await standin.send(tool);
    await expect.poll(() => standin.record()?.status).toBe('waiting');
    await standin.send('too early');
    await standin.shows('Queued ·');
    expect((await standin.rows()).join('\n')).not.toContain('proceed?');
    await standin.shows('Do you want to proceed?');
    expect(standin.ledger().some(({ key }) => key !== undefined)).toBe(false);
  });

  test('permission-early: it is there at once', async () => {
    const standin = await launch('permission-late=600000,permission-early');
    await standin.ready();
    await standin.send(tool);
    await standin.shows('Do you want to proceed?');
  });

  test('trust-dialog: Enter leaves', async () => {
    const standin = await launch('trust-dialog');
    await standin.shows('❯ No, exit');
    await standin.send('a prompt');
    await standin.shows('shell>');
    expect(standin.ledger()).toMatchObject([
      { dialog: 'trust', shown: true },
      { dialog: 'trust', key: 'Enter', answer: 'No, exit' },
      { exit: 'left', exit_code: 1 },
    ]);
  });
});

describe('session files that mislead', () => {
  test.each(['missing', 'read-only'])('session-file=%s: there are none', async (kind) => {
    const standin = await launch(`session-file=${kind}`);
    await standin.ready();
    await standin.send('x');
    await standin.shows('● You said: x');
    await expect.poll(standin.outcomes).toEqual(['answered']);
    expect([standin.record(), standin.transcript(), standin.history()]).toEqual([null, [], []]);
    const footer = (await standin.rows()).at(-1) ?? '';
    expect(footer.includes('Transcript writes are failing (EROFS)')).toBe(kind === 'read-only');
  });

  test('session-file=late: they come after the screen', async () => {
    const standin = await launch('session-file=late:4000');
    await standin.ready();
    expect(standin.record()).toBeNull();
    await expect.poll(() => standin.record()?.status).toBe('idle');
    await standin.send('x');
    await standin.shows('● You said: x');
    expect(standin.transcript()).toEqual([]);
    await expect.poll(() => standin.transcript().length).toBeGreaterThan(3);
  });

  test('session-file=contradicting: they say the opposite', async () => {
    const standin = await launch('session-file=contradicting');
    await standin.ready();
    expect(standin.record()?.status).toBe('busy');
    await standin.send('x [[slow=60000]]');
    await standin.shows('esc to interrupt');
    await expect.poll(() => standin.record()?.status).toBe('idle');
  });
});

test('crash-to-shell leaves the shell, with a session file that says busy', async () => {
  const standin = await launch('crash-to-shell=2');
  await standin.ready();
  await standin.send('one');
  await standin.shows('● You said: one');
  await standin.ready();
  await standin.send('two [[slow=60000]]');
  await standin.shows('shell>');
  expect(standin.prompts()).toEqual(['one', 'two [[slow=60000]]']);
  expect(standin.record()?.status).toBe('busy');
  expect(standin.ledger().at(-1)).toMatchObject({ exit: 'crashed', exit_code: 1 });
  expect(await standin.pane.status()).toMatchObject({ alternateScreen: false });
});

test('a switch that is not known is refused with those that are', async () => {
  const standin = await launch('no-such-thing');
  await standin.shows("HOUMAO_STANDIN_TUI knows no 'no-such-thing'. It takes drop-enter=N");
  await standin.shows('shell>');
});
