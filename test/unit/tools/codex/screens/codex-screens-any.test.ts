import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { toStyledRows } from '../../../../../src/tools/screen/styled-rows.js';
import { anyScreen, contradictionIn } from '../../../../support/screens/any-screen.js';
import { capturedScreen, capturedScreens } from '../../../../support/screens/captures.js';
import { signalsIn, signalsOver } from '../../../../support/screens/detected-signals.js';

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

/** Captures that show the beginning of their latest turn, or the banner. */
const whole = capturedScreens('codex').filter((screen) => !/24d|24e|28/.test(screen));

describe('what has scrolled away', () => {
  it.each(whole)('changes nothing of %s', (screen) => {
    const capture = capturedScreen(screen);
    const { surfaceSignature: _, ...alone } = signalsIn(codexScreens, '0.169.0', capture);
    fc.assert(
      fc.property(
        fc.oneof(
          anyScreen,
          fc.constantFrom(...whole).map((each) => capturedScreen(each)),
        ),
        (above) => {
          const { surfaceSignature: __, ...below } = signalsIn(
            codexScreens,
            '0.169.0',
            `${above}\n\u001b[0msomeone@host:~$ codex\n${capture}`,
          );
          expect(below).toEqual(alone);
        },
      ),
      { numRuns: 15 },
    );
  });
});
