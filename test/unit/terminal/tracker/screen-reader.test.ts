import { describe, expect, it } from 'vitest';
import { type ReaderResult, ScreenReader } from '../../../../src/terminal/tracker/screen-reader.js';
import type { ScreenProfile } from '../../../../src/tools/screen/screen-profile.js';
import { planted } from '../../../support/terminal/planted-frames.js';
import { plantedRows, plantedScreens } from '../../../support/terminal/planted-screens.js';

const parsedOf = (reading: ReaderResult) => (reading.kind === 'read' ? reading.parsed : null);

/** A reader whose profile notes the moments of the recent frames it is given. */
function noting() {
  const recents: number[][] = [];
  const profile: ScreenProfile = {
    version: '1.x',
    detect: (_frame, recent) => {
      recents.push(recent.map(({ at }) => at));
      return planted.idle();
    },
  };
  const split: string[] = [];
  const reader = new ScreenReader(profile, (text) => {
    split.push(text);
    return plantedRows(text);
  });
  return { reader, recents, split };
}

describe('a reader of screens', () => {
  it('gives a detector the frames of the last three seconds, the oldest first', () => {
    const { reader, recents } = noting();
    for (const at of [0, 1000, 3000, 3001, 9000]) reader.read('idle', at);
    expect(recents).toEqual([[], [0], [0, 1000], [1000, 3000], []]);
  });

  it('forgets them', () => {
    const { reader, recents } = noting();
    reader.read('idle', 0);
    reader.forget();
    reader.read('idle', 1);
    expect(recents).toEqual([[], []]);
  });

  it('splits a text once that stays the same, and gives the same words for it', () => {
    const { reader, split } = noting();
    const first = parsedOf(reader.read('idle', 0))?.text;
    expect(parsedOf(reader.read('idle', 500))?.text).toBe(first);
    reader.read('other', 1000);
    expect(split).toEqual(['idle', 'other']);
  });

  it('projects the same text again when the detector sees it otherwise', () => {
    let signals = planted.idle();
    const reader = new ScreenReader({ version: '1.x', detect: () => signals }, plantedRows);
    const first = parsedOf(reader.read('hello\n❯ x', 0))?.text.dialog;
    signals = planted.dialog();
    const second = parsedOf(reader.read('hello\n❯ x', 1))?.text.dialog;
    expect([first, second]).toEqual(['hello', 'hello\n❯ x']);
  });

  it('measures a shorter text by the first that was understood', () => {
    const reader = new ScreenReader(plantedScreens.profileFor(null), plantedRows);
    const invalidated = (text: string) => parsedOf(reader.read(text, 0))?.baselineInvalidated;
    expect(invalidated(`nothing\n${'x'.repeat(99)}`)).toBe(false);
    expect(invalidated('idle\nxx')).toBe(false);
    expect(invalidated('idle\nx')).toBe(true);
    expect(invalidated('idle\nx')).toBe(true);
    reader.forget();
    expect(invalidated('idle\nx')).toBe(false);
  });

  it('says when nobody reads the tool, and when the detector fails', () => {
    expect(new ScreenReader(null, plantedRows).read('idle', 0)).toEqual({ kind: 'unsupported_tool' });
    expect(new ScreenReader(plantedScreens.profileFor(null), plantedRows).read('broken', 0)).toEqual({
      kind: 'failed',
      message: 'The screen could not be read: a planted fault',
    });
  });
});
