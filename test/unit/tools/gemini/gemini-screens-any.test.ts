import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import { toStyledRows } from '../../../../src/tools/screen/styled-rows.js';
import { anyScreen, contradictionIn } from '../../../support/screens/any-screen.js';
import { signalsIn } from '../../../support/screens/detected-signals.js';
import { nothingAboveCounts } from '../../../support/screens/scrolled-away.js';

const version = fc.constantFrom('0.61.0', '9.0.0', '0.1.0', null);

describe('any text', () => {
  it('is read, in the same way each time, and never into what contradicts itself', () => {
    fc.assert(
      fc.property(anyScreen, version, (text, of) => {
        const signals = signalsIn(geminiScreens, of, text);
        expect(contradictionIn(signals)).toBeNull();
        expect(signalsIn(geminiScreens, of, text)).toEqual(signals);
        const rows = toStyledRows(text);
        const before = structuredClone(rows);
        geminiScreens.profileFor(of).detect({ rows, at: 0 }, []);
        expect(rows).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it('without the rule above the composer is never an agent that waits', () => {
    fc.assert(
      fc.property(anyScreen, version, (text, of) => {
        const signals = signalsIn(geminiScreens, of, text.replaceAll('─', '-'));
        expect(signals.readyPosture).toBe('unknown');
        expect(signals.successCandidate).toBe(false);
      }),
    );
  });
});

nothingAboveCounts('gemini', geminiScreens, '0.61.0', /24d|24e|28-/);
