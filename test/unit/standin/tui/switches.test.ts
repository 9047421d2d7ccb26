import { describe, expect, test } from 'vitest';
import { helpText } from '../../../../standin/src/help-text.js';
import { parseSwitches, switchNames } from '../../../../standin/src/tui/switches.js';

const parsed = (text: string) => {
  const result = parseSwitches(text);
  if (!result.ok) throw new Error(result.message);
  return result.switches;
};

describe('misbehaviour switches', () => {
  test('are all off, or what was given', () => {
    expect(parsed('')).toMatchObject({ dropEnter: null, clock: false, sessionFile: { kind: 'none' } });
    expect(parsed(' drop-enter=2, clock,session-file=late:500,')).toEqual({
      ...parsed(''),
      dropEnter: 2,
      clock: true,
      sessionFile: { kind: 'late', ms: 500 },
    });
  });

  test('are refused with the list where one is not understood', () => {
    for (const wrong of [
      'drop-enter',
      'drop-enter=',
      'drop-enter=x',
      'drop-enter=-1',
      'clock=1',
      'Clock',
      'session-file',
      'session-file=late',
      'session-file=none',
      'none',
    ]) {
      const refused = parseSwitches(`clock,${wrong}`);
      expect(refused).toMatchObject({ ok: false, message: expect.stringContaining(`knows no '${wrong}'`) });
      for (const name of switchNames) expect(JSON.stringify(refused)).toContain(name);
    }
  });

  test('are each listed by --help', () => {
    expect(switchNames.length).toBeGreaterThan(15);
    for (const name of switchNames) expect(helpText).toContain(`\n  ${name.split(/[=|]/)[0]}`);
    for (const kind of ['missing', 'read-only', 'late:', 'contradicting']) expect(helpText).toContain(kind);
  });
});
