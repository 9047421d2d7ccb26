import { describe, expect, test } from 'vitest';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startStandin } from './standin-pane.js';

const folder = temporaryFolder();
const own = ownTmux();

describe('a turn on the screen', () => {
  test('goes from a ready box over work to an answer and a ready box', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    expect(await standin.pane.status()).toMatchObject({ alternateScreen: true, dead: false });
    await standin.send('hello [[slow=2000]]');
    await standin.shows('esc to interrupt');
    expect((await standin.rows()).find((row) => /^[·✢*✶✻✽] Baking…$/.test(row))).toBeDefined();
    expect(await standin.box()).toBe('❯');
    await standin.shows('● You said: hello (turn 1 of this conversation)');
    await standin.shows('Worked for ');
    await standin.shows(' · done ');
    await standin.ready();
    expect((await standin.rows()).at(-1)).toBe('  ⏸ manual mode on · ? for shortcuts');
    expect(standin.prompts()).toEqual(['hello [[slow=2000]]']);
    expect(standin.outcomes()).toEqual(['answered']);
  });

  test('takes a paste of some lines as it is', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    expect(await standin.paste('one\n  two 漢\nthree')).toBe(true);
    await expect.poll(standin.box).toBe('❯ one\n    two 漢\n  three');
    await standin.press('Enter');
    await standin.shows('● You said: one');
    expect(standin.prompts()).toEqual(['one\n  two 漢\nthree']);
  });

  test('shows a placeholder for a large paste and takes every byte of it', async () => {
    const standin = await startStandin(own, folder);
    const text = Array.from({ length: 61 }, (_, index) => `bigline ${index} äöü "$HOME" \\`).join('\n');
    await standin.ready();
    await standin.paste(text);
    await expect.poll(standin.box).toBe('❯ [Pasted text #1 +60 lines]');
    await standin.press('Enter');
    await standin.shows('Worked for');
    const [taken] = standin.ledger();
    expect(taken?.text).toBe(text);
    expect(taken?.prompt).toMatch(
      /^\n\n<pasted_content id="([0-9a-f]{4})">\n[\s\S]*\n<\/pasted_content id="\1">\n$/,
    );
    const big = 'x'.repeat(300_000);
    await standin.paste(big);
    await expect.poll(standin.box).toBe('❯ [Pasted text #2]');
    await standin.press('Enter');
    await expect.poll(() => standin.ledger().some((line) => line.text === big)).toBe(true);
  });

  test('is asked about what turns the direction of writing, and Enter is lost', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.paste('a\u202eb');
    await standin.press('Enter');
    await standin.shows('Removed 1 invisible character · review and press Enter to send');
    expect(standin.prompts()).toEqual([]);
    await standin.press('Enter');
    await expect.poll(standin.prompts).toEqual(['ab']);
  });

  test.each([
    [401, '● Please run /login · API Error: 401', 'Once fixed, resend your message'],
    [429, '● API Error: Request rejected (429)', 'Resend your message to try again'],
    [529, '● API Error: Repeated 529 Overloaded errors.', 'Resend your message to try again'],
  ])('ends with the error %d of the API', async (status, said, dim) => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send(`x [[fail=${status}]]`);
    await standin.shows('retrying in 1s · attempt 2/2');
    await standin.shows(said);
    await expect.poll(standin.box).toBe(`❯ ${dim}`);
    expect(await standin.styled()).toContain(`\u001b[7m${dim[0]}\u001b[0;2m`);
    await expect.poll(standin.outcomes).toEqual(['failed']);
    await standin.send('again');
    await standin.shows('● You said: again (turn 2 of this conversation)');
  });
});

describe('Escape', () => {
  test('before any output puts the prompt back into the box', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('slow one [[slow=60000]]');
    await standin.shows('esc to interrupt');
    await standin.press('Escape');
    await expect.poll(standin.box).toBe('❯ slow one [[slow=60000]]');
    expect((await standin.rows()).join('\n')).not.toContain('Interrupted');
    expect(standin.outcomes()).toEqual(['withdrawn']);
    await standin.press('C-u');
    await standin.ready();
  });

  test('in the middle of an answer leaves what was said, and says so', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('drip [[drip=100]] [[words=600]]');
    await standin.shows('word2');
    await standin.press('Escape');
    await standin.shows('⎿  Interrupted · What should Claude do instead?');
    await standin.ready();
    expect(standin.outcomes()).toEqual(['interrupted']);
  });

  test('on a draft clears it when pressed twice, and on an empty box opens the list of prompts', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.type('aaa');
    await standin.press('Escape');
    await standin.shows('esc again to clear');
    expect(await standin.box()).toBe('❯ aaa');
    await standin.press('Escape');
    await standin.ready();
    await standin.press('Escape');
    await standin.press('Escape');
    await standin.shows('Restore the code and/or conversation');
    await standin.press('Escape');
    await standin.ready();
  });
});

describe('the queue', () => {
  test('is answered one after the other', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('first [[slow=2000]]');
    await standin.shows('esc to interrupt');
    await standin.send('second queued [[slow=300]]');
    await standin.send('third queued');
    await standin.shows('❯ third queued\n  ⎿  Queued · ctrl+x ctrl+s to send now');
    await expect.poll(standin.box).toBe('❯ Press up to edit queued messages');
    await standin.shows('● You said: third queued (turn 3 of this conversation)');
    await standin.ready();
    expect(standin.prompts()).toEqual(['first [[slow=2000]]', 'second queued [[slow=300]]', 'third queued']);
    expect(standin.outcomes()).toEqual(['answered', 'answered', 'answered']);
  });

  test('is sent by Escape, and Up takes it back into the box', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('first [[slow=60000]]');
    await standin.shows('esc to interrupt');
    await standin.send('taken back');
    await standin.shows('Queued ·');
    await standin.press('Up');
    await expect.poll(standin.box).toBe('❯ taken back');
    await standin.press('C-u');
    await standin.send('sent by Escape');
    await standin.shows('Queued ·');
    await standin.press('Escape');
    await standin.shows('● You said: sent by Escape');
    expect((await standin.rows()).join('\n')).toContain('⎿  Interrupted · What should Claude do instead?');
    expect(standin.prompts()).toEqual(['first [[slow=60000]]', 'sent by Escape']);
    expect(standin.outcomes()).toEqual(['interrupted', 'answered']);
  });

  test('is read by a turn whose tool has run', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('[[tool=Bash {"command":"ls"}]] go');
    await standin.shows('Do you want to proceed?');
    await standin.press('Escape');
    await expect.poll(standin.outcomes).toEqual(['denied']);
    await standin.send('[[slow=2000]] [[tool=Bash {"command":"ls"}]] again');
    await standin.shows('esc to interrupt');
    await standin.send('by the way');
    await standin.send('/nosuchcmd');
    await standin.shows('❯ /nosuchcmd\n  ⎿  Queued ·');
    await standin.shows('Do you want to proceed?');
    await standin.press('Enter');
    await standin.shows('● You said: again and: by the way');
    await standin.shows('Unknown command: /nosuchcmd');
    const absorbed = standin.ledger().filter(({ source }) => source === 'absorbed');
    expect(absorbed.map(({ prompt }) => prompt)).toEqual(['by the way']);
  });
});
