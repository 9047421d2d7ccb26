import { describe, expect, test } from 'vitest';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startStandin } from './standin-pane.js';

const folder = temporaryFolder();
const own = ownTmux();

describe('a dialog', () => {
  const touch = '[[tool=Bash {"command":"touch t2","description":"Touch a file"}]]';

  test('is answered by Enter, and the ledger says by which key', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send(`${touch} go`);
    await standin.shows('Do you want to proceed?\n ❯ 1. Yes');
    expect(await standin.box()).toBeNull();
    await standin.press('Enter');
    await standin.shows('Ran 1 shell command');
    await standin.ready();
    const dialogs = standin.ledger().filter(({ dialog }) => dialog === 'permission');
    expect(dialogs).toMatchObject([
      { shown: true, tool: 'Bash' },
      { key: 'Enter', answer: 'Yes' },
    ]);
    expect(standin.outcomes()).toEqual(['answered']);
  });

  test('is answered by the Enter behind a paste, which arrives nowhere', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send(touch);
    await standin.shows('Do you want to proceed?');
    await standin.paste('a prompt');
    await standin.press('Enter');
    await standin.shows('● You said nothing');
    expect(standin.prompts()).toEqual([touch]);
    expect(standin.ledger().find(({ key }) => key !== undefined)).toMatchObject({
      key: 'Enter',
      answer: 'Yes',
    });
  });

  test('is not shown where permissions are skipped', async () => {
    const standin = await startStandin(own, folder, { args: '--dangerously-skip-permissions' });
    await standin.ready();
    await standin.send(`${touch} go`);
    await standin.shows('● You said: go');
    expect(standin.ledger().some(({ dialog }) => dialog !== undefined)).toBe(false);
  });
});

describe('the end', () => {
  test('by Ctrl-C on an empty box leaves the shell, and words about the conversation', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.type('draft');
    await standin.press('C-c');
    await standin.shows('Press Ctrl-C again to exit');
    await standin.ready();
    await standin.send('x [[slow=2000]]');
    await standin.shows('esc to interrupt');
    await standin.shows('Worked for');
    await standin.ready();
    await standin.press('C-c');
    await standin.shows('Resume this session with:\nclaude --resume ');
    await standin.shows('shell>');
    expect(await standin.pane.status()).toMatchObject({ alternateScreen: false, dead: false });
    expect(standin.ledger().at(-1)).toMatchObject({ exit: 'left', exit_code: 0 });
  });

  test('by a directive has its code', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('x [[exit=3]]');
    await standin.shows('asked to exit with code 3');
    expect(standin.ledger().at(-1)).toMatchObject({ exit: 'asked', exit_code: 3 });
  });

  test('by a command', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.type('/ex');
    await standin.shows('❯ /exit');
    await standin.press('Enter');
    await standin.shows('shell>');
    expect(standin.ledger().map(({ command, exit }) => command ?? exit)).toEqual(['/exit', 'left']);
  });
});
