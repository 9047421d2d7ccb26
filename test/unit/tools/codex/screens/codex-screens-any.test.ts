import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { toStyledRows } from '../../../../../src/tools/screen/styled-rows.js';
import { anyScreen, contradictionIn } from '../../../../support/screens/any-screen.js';
import { signalsIn, signalsOver } from '../../../../support/screens/detected-signals.js';
import { nothingAboveCounts } from '../../../../support/screens/scrolled-away.js';

const version = fc.constantFrom('0.116.0', '0.144.0', '0.169.0', '9.0.0', null);
const frames = fc
  .array(fc.record({ gap: fc.nat(2500), capture: anyScreen }), { minLength: 1, maxLength: 5 })
  .map((all) => {
    let at = 0;
    return all.map(({ gap, capture }) => {
      at += gap;
      return { at, capture };
    });
  });

describe('any text', () => {
  it('is read, and never into what contradicts itself', () => {
    fc.assert(
      fc.property(frames, version, (all, of) => {
        for (const signals of signalsOver(codexScreens, of ?? '', all)) {
          expect(contradictionIn(signals)).toBeNull();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is read in the same way each time, and stays as it is', () => {
    fc.assert(
      fc.property(frames, version, (all, of) => {
        expect(signalsOver(codexScreens, of ?? '', all)).toEqual(signalsOver(codexScreens, of ?? '', all));
        const profile = codexScreens.profileFor(of);
        const rows = toStyledRows(all[0]!.capture);
        const before = structuredClone(rows);
        profile.detect({ rows, at: 0 }, []);
        expect(rows).toEqual(before);
      }),
    );
  });

  it('without the glyph of the composer is never an agent that waits', () => {
    fc.assert(
      fc.property(anyScreen, version, (text, of) => {
        const signals = signalsIn(codexScreens, of, text.replaceAll('›', ''));
        expect(signals.readyPosture).not.toBe('yes');
        expect(signals.successCandidate).toBe(false);
        expect(signals.activeReasons).toEqual([]);
      }),
    );
  });
});

nothingAboveCounts('codex', codexScreens, '0.169.0', /24d|24e|28/);
