import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import { signalsIn } from '../../../support/screens/detected-signals.js';
import { cursor, geminiScreen, glyph, placeholder, typed } from '../../../support/screens/gemini-screen.js';

const at = (capture: string) => signalsIn(geminiScreens, '0.61.0', capture);
const composed = (...composer: string[]) => at(geminiScreen({ composer }));

describe('a draft', () => {
  it('is read with all its rows', () => {
    for (const draft of ['one', 'one\ntwo', 'one\n\n\ntwo\n  three']) {
      expect(at(geminiScreen({ composer: typed(draft) }))).toMatchObject({
        editingInput: 'yes',
        promptText: draft,
      });
    }
  });

  it('whatever its text is', () => {
    const row = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => /^[^/\s]\S*$/.test(text));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        expect(at(geminiScreen({ composer: typed(rows.join('\n')) })).promptText).toBe(rows.join('\n'));
      }),
    );
  });

  it('with the cursor within it, or with what the tool would add', () => {
    const ink = '\u001b[38;5;231m';
    expect(composed(` ${glyph}${ink}on\u001b[7me\u001b[0m${ink} two`).promptText).toBe('one two');
    expect(composed(` ${glyph}\u001b[7mo\u001b[0m${ink}ne`).editingInput).toBe('yes');
    expect(composed(` ${glyph}${ink}on\u001b[7me`).promptText).toBe('one');
    expect(composed(` ${glyph}${ink}one\u001b[38;5;248m and more`)).toMatchObject({
      editingInput: 'yes',
      promptText: 'one',
    });
    expect(composed(` ${glyph}${ink}one\u001b[7m \u001b[0m\u001b[38;5;248mand more`).promptText).toBe('one');
    expect(composed(` ${glyph}${ink}one\u001b[2m and more`).promptText).toBe('one');
  });

  it('ends where something else stands below it', () => {
    const menu = [' an entry', '     what it does'];
    expect(at(geminiScreen({ composer: typed('one\ntwo'), menu })).promptText).toBe('one\ntwo');
  });

  it('where all tools are allowed', () => {
    expect(composed(` \u001b[31m* \u001b[38;5;231mone`)).toMatchObject({
      promptText: 'one',
      readyPosture: 'yes',
    });
  });

  it('below padding that is drawn', () => {
    expect(composed('▄'.repeat(60), ...typed('one\ntwo'), '▀'.repeat(60)).promptText).toBe('one\ntwo');
  });
});

describe('what is no draft', () => {
  it('the placeholder, by the cursor before it or by its colour', () => {
    const quiet = ` ${glyph}\u001b[38;5;248mType your message`;
    for (const screen of [
      geminiScreen({}),
      geminiScreen({ hint: null }),
      geminiScreen({ hint: 'another hint' }),
      geminiScreen({ composer: [quiet] }),
    ]) {
      expect(at(screen)).toMatchObject({ editingInput: 'no', promptText: null, readyPosture: 'yes' });
    }
  });

  it('an empty composer', () => {
    expect(composed(` ${glyph}${cursor}`).editingInput).toBe('no');
    expect(composed(` ${glyph}`).editingInput).toBe('no');
  });

  it('text that nothing tells from the placeholder', () => {
    expect(composed(' > one')).toMatchObject({ editingInput: 'unknown', promptText: null });
    const colourless = ['─'.repeat(60), ' Shift+Tab to accept edits', '', ' > one', '', ' /work'].join('\n');
    expect(at(colourless)).toMatchObject({ editingInput: 'unknown', promptText: null });
    expect(composed(` ${glyph}\u001b[7mo`)).toMatchObject({ editingInput: 'unknown', promptText: null });
  });
});

describe('what is no composer', () => {
  it.each([
    ['a composer that a program left behind', `${geminiScreen({})}\nsomeone@host:~$ ls`],
    ['one with a box below it', `${geminiScreen({})}\n╭──────╮`],
    ['a prompt of the transcript', placeholder.join('\n')],
    ['a rule that is too short', geminiScreen({}).replace(/─{8,}/, '─────')],
    ['a rule with words behind it', geminiScreen({}).replace('────\u001b', '──── and\u001b')],
    ['a rule with words before it', geminiScreen({}).replace('────', 'so ────')],
    ['one that is indented', geminiScreen({ composer: [`  ${glyph}one`] })],
    ['one far below a rule', `${'─'.repeat(60)}\n\n\n\n\n${placeholder.join('\n')}`],
    ['one for the shell', geminiScreen({ composer: [' \u001b[31m! \u001b[38;5;231mls'] })],
  ])('%s', (_, capture) => {
    expect(at(capture)).toMatchObject({
      acceptingInput: 'unknown',
      editingInput: 'unknown',
      readyPosture: 'unknown',
      promptVisible: false,
    });
  });
});

describe('the menu', () => {
  const chosen = ' \u001b[38;5;194;48;5;28mclear\u001b[0m   Clear the screen';
  const other = ' \u001b[38;5;248mcompress\u001b[0m   Compress';

  it.each(['/', '/c', '@src', 'look at @src'])('of %s', (text) => {
    const screen = geminiScreen({ composer: typed(text), menu: [chosen, other] });
    expect(at(screen)).toMatchObject({ overlay: 'slash_command', promptText: text, readyPosture: 'unknown' });
  });

  it('is not there without an entry that is chosen, or for other text', () => {
    expect(at(geminiScreen({ composer: typed('/') }))).toMatchObject({ overlay: null, readyPosture: 'yes' });
    expect(at(geminiScreen({ composer: typed('text'), menu: [chosen] })).overlay).toBeNull();
  });
});
