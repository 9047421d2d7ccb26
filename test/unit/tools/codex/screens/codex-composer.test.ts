import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { codexScreen, prompted } from '../../../../support/screens/codex-screen.js';
import { signalsIn } from '../../../../support/screens/detected-signals.js';

const at = (capture: string) => signalsIn(codexScreens, '0.116.0', capture);
const esc = '\u001b[';

describe('a draft', () => {
  it('is read with all its rows', () => {
    for (const draft of ['one', 'one\ntwo', 'one\n\n\ntwo\n  three', '1. a\n2. b']) {
      expect(at(codexScreen({ draft }))).toMatchObject({ editingInput: 'yes', promptText: draft });
    }
  });

  it('is a command for the shell behind its own glyph, and that glyph alone is one, too', () => {
    const glyph = `${esc}1m${esc}38;5;9m!${esc}0m`;
    const footer = `\n\n  ${esc}2mfooter`;
    expect(at(`${glyph} echo a\n  b${footer}`)).toMatchObject({
      editingInput: 'yes',
      promptText: '!echo a\nb',
    });
    expect(at(`${glyph}${footer}`)).toMatchObject({ editingInput: 'yes', promptText: '!' });
    expect(at(`! echo a${footer}`)).toMatchObject({ editingInput: 'unknown', promptText: null });
  });

  it('whatever its text is', () => {
    const row = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => /^[^/\s]\S*$/.test(text));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        expect(at(codexScreen({ draft: rows.join('\n') })).promptText).toBe(rows.join('\n'));
      }),
    );
  });

  it('is read before the footer is drawn', () => {
    expect(at(`${esc}1m›${esc}0m one\n\n  two`).promptText).toBe('one\n\ntwo');
    expect(at(`${esc}1m›${esc}0m one\n  two`)).toMatchObject({ promptText: 'one\ntwo', readyPosture: 'yes' });
  });

  it('does not keep a turn from being over, and is no success', () => {
    const screen = codexScreen({ transcript: [prompted('go'), '• Done'], draft: 'next' });
    expect(at(screen)).toMatchObject({ readyPosture: 'yes', successCandidate: false, successBlocked: false });
  });
});

describe('what is no draft', () => {
  it('the placeholder, an empty composer', () => {
    expect(at(codexScreen({}))).toMatchObject({
      editingInput: 'no',
      promptText: null,
      acceptingInput: 'yes',
    });
    expect(at('›')).toMatchObject({ editingInput: 'no', promptText: null, acceptingInput: 'yes' });
  });

  it('text in a style that tells nothing', () => {
    expect(at(`›${esc}4m underlined`)).toMatchObject({ editingInput: 'unknown', promptText: null });
  });
});

describe('what is no composer', () => {
  it.each([
    ['a prompt of the transcript', prompted('what was asked')],
    ['a composer that a program left behind', `${codexScreen({})}\nsomeone@host:~$ ls`],
    ['one with the words of its end below', `${codexScreen({})}\nToken usage: total=1`],
    ['an indented glyph', '  › text'],
    ['a word that begins with the glyph', '›text'],
    ['the entry of a menu that is chosen', `${esc}7m› entry${esc}0m`],
  ])('%s', (_, capture) => {
    expect(at(capture)).toMatchObject({
      acceptingInput: 'unknown',
      editingInput: 'unknown',
      readyPosture: 'unknown',
      pendingInput: 'unknown',
      promptVisible: false,
    });
  });

  it('a row in the transcript that looks like the prompt of a shell changes nothing', () => {
    const screen = codexScreen({ transcript: [prompted('go'), '• I ran', 'user bash-5.2$ ls'] });
    expect(at(screen)).toMatchObject({ acceptingInput: 'yes', readyPosture: 'yes' });
  });
});

describe('the menu of slash commands', () => {
  const chosen = `${esc}1;7m› /model      choose a model${esc}0m`;
  const other = `  /presets    ${esc}2mrun presets${esc}0m`;

  it('above the composer', () => {
    const screen = codexScreen({ transcript: [prompted('go'), '• Done', '', chosen, other], draft: '/' });
    expect(at(screen)).toMatchObject({
      overlay: 'slash_command',
      readyPosture: 'unknown',
      successBlocked: true,
    });
  });

  it('below the composer', () => {
    const screen = `${esc}1m›${esc}0m /mo\n\n${esc}36m  /model  choose a model${esc}0m\n  /mode`;
    expect(at(screen)).toMatchObject({
      overlay: 'slash_command',
      promptText: '/mo',
      readyPosture: 'unknown',
    });
  });

  it.each([
    ['is closed', codexScreen({ transcript: [prompted('go'), '• Done'], draft: '/' })],
    ['is an answer', codexScreen({ transcript: [prompted('go'), '• Try', '', '  /model'], draft: '/' })],
    ['is there for no command', codexScreen({ transcript: [chosen, other], draft: 'text' })],
  ])('%s', (_, screen) => {
    expect(at(screen)).toMatchObject({ overlay: null, readyPosture: 'yes' });
  });

  it.each(['7m', '1m', '2m', '36m'])('has an entry that is highlighted, as by %s', (style) => {
    const below = (entry: string): string => `${esc}1m›${esc}0m /mo\n\n${entry}\n${esc}2m  /mode${esc}0m`;
    expect(at(below(`  ${esc}${style}/model${esc}0m  choose`)).overlay).toBe('slash_command');
    expect(at(below('  /model  choose')).overlay).toBeNull();
  });

  it('stands apart from the composer', () => {
    expect(at(`${chosen}\n${esc}1m›${esc}0m /`).overlay).toBeNull();
    expect(at(`${chosen}\n\n${esc}1m›${esc}0m /`).overlay).toBe('slash_command');
  });

  it('hides nothing of the turn above it', () => {
    const failed = codexScreen({
      transcript: [prompted('go'), '■ It failed', '', chosen, other],
      draft: '/',
    });
    expect(at(failed).currentError).toBe(true);
  });
});
