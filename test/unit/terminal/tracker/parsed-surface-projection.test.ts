import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProjectionCues, projectScreen } from '../../../../src/terminal/tracker/parsed-surface.js';
import { plainRows } from '../../../support/terminal/rows.js';

const withoutComposer: ProjectionCues = { composer: false, menu: false, draft: null, workRow: null };
const withComposer = { ...withoutComposer, composer: true };
const dialogOf = (cues: ProjectionCues, ...texts: string[]) =>
  projectScreen(plainRows(...texts), cues).dialog.split('\n');

describe('the text of a screen', () => {
  it('is all of its rows without the empty ones around them', () => {
    const { normalized } = projectScreen(plainRows('', 'a', '', '──', 'b  ', '', ''), withoutComposer);
    expect(normalized).toBe('a\n\n──\nb');
    expect(projectScreen([], withoutComposer)).toEqual({
      normalized: '',
      dialog: '',
      conversation: '',
      head: '',
      tail: '',
    });
  });

  it('has the conversation above the last prompt row, with its prompts', () => {
    const rows = [
      '❯ first',
      '● Done.',
      '',
      '────',
      '❯ a draft',
      '  of two rows',
      '────',
      '  ? for shortcuts',
    ];
    expect(dialogOf(withComposer, ...rows)).toEqual(['❯ first', 'Done.']);
  });

  it('has no hint that stands at the right above the composer', () => {
    const hint = `${' '.repeat(60)}◐ medium`;
    expect(dialogOf(withComposer, 'Hello', hint, '────', '❯')).toEqual(['Hello']);
    expect(dialogOf(withComposer, hint, 'Hello', '❯')).toEqual([hint, 'Hello']);
  });

  it('has no menu below or above a draft, whatever marks the choice', () => {
    const menu = { ...withComposer, menu: true, draft: '/c' };
    const choices = ['  ❯ /clear  forget', '    /copy'];
    const said = ['❯ /clear', '● Done.', ''];
    expect(dialogOf(menu, ...said, '────', '❯ /c', '────', ...choices)).toEqual(['❯ /clear', 'Done.']);
    expect(dialogOf(menu, ...said, ...choices, '────', '❯ /c', '────')).toEqual(['❯ /clear', 'Done.']);
    const boxed = ['Hello', '╭──╮', '│ > /c   │', '╰──╯', '  > /clear'];
    expect(dialogOf(menu, ...said, ...boxed)).toEqual(['❯ /clear', 'Done.']);
    expect(dialogOf({ ...withComposer, draft: 'unseen' }, 'Hello', '❯ other')).toEqual(['Hello']);
  });

  it('has all rows as conversation while no composer is seen', () => {
    expect(dialogOf(withoutComposer, 'May I?', '❯ 1. Yes', '  2. No', 'Esc to cancel')).toEqual([
      'May I?',
      '❯ 1. Yes',
      '  2. No',
      'Esc to cancel',
    ]);
  });

  it('loses rules, frames, empty prompts, the row that tells of work, and markers', () => {
    const rows = [
      '• Ran ls',
      '  ⎿  3 files',
      '╭──╮',
      '│ in a box │',
      '╰──╯',
      '✻ Musing… (3s)   right',
      '▔▔▔',
      ' ⢸⣿⣇ ⣾',
      '›',
      '❯',
    ];
    for (const workRow of ['Musing… (3s)', '✻ Musing… (3s)']) {
      expect(dialogOf({ ...withoutComposer, workRow }, ...rows)).toEqual(['Ran ls', '  3 files', 'in a box']);
    }
  });

  it('has the same conversation while a mark blinks before a row', () => {
    const shown = projectScreen(plainRows('❯ asked', '● Makes a file', '  ⎿  $ touch a'), withoutComposer);
    const hidden = projectScreen(plainRows('❯ asked', '  Makes a file', '  ⎿  $ touch a'), withoutComposer);
    expect(shown.conversation).toBe('❯ asked\nMakes a file\n$ touch a');
    expect(hidden.conversation).toBe(shown.conversation);
  });

  it('loses the banner at the top, boxed or beside a logo', () => {
    expect(dialogOf(withoutComposer, '╭─ Toy ─╮', '│ v1.0 │', '╰──╯', '', 'Hello')).toEqual(['Hello']);
    expect(dialogOf(withoutComposer, ' ▐▛███▜▌  Toy v1.0', '  model x', '', 'Hello')).toEqual(['Hello']);
    expect(dialogOf(withoutComposer, '  >_ Toy (v1.0)', '', 'Hello')).toEqual(['Hello']);
    expect(dialogOf(withoutComposer, 'Hello', '███░░ 60 %', '', '')).toEqual(['Hello', '███░░ 60 %']);
    expect(dialogOf(withoutComposer, '╭── never closed', 'Hello')).toEqual(['╭── never closed', 'Hello']);
  });

  it('has one empty row where several were', () => {
    expect(dialogOf(withoutComposer, 'a', '', '──', '', 'b')).toEqual(['a', '', 'b']);
  });

  it('is all of the text where no conversation is left', () => {
    const { dialog, normalized } = projectScreen(plainRows('────', '❯', '────', '  hint'), withComposer);
    expect(dialog).toBe(normalized);
  });

  it('begins and ends with twelve rows', () => {
    const rows = Array.from({ length: 30 }, (_, index) => `row ${index}`);
    const { head, tail } = projectScreen(plainRows(...rows), withoutComposer);
    expect(head.split('\n')).toEqual(rows.slice(0, 12));
    expect(tail.split('\n')).toEqual(rows.slice(-12));
  });

  it('keeps every word of a conversation, in order, for any screen', () => {
    const row = fc.constantFrom('', 'word', '  ● said', '────', '│ boxed │', '❯ asked', '❯', '> quoted');
    fc.assert(
      fc.property(fc.array(row), (texts) => {
        const { normalized, dialog } = projectScreen(plainRows(...texts), withoutComposer);
        const wordsOf = (text: string) => text.match(/\w+/g) ?? [];
        expect(wordsOf(dialog)).toEqual(wordsOf(texts.join('\n')));
        expect(dialog.length).toBeLessThanOrEqual(normalized.length);
      }),
    );
  });
});
