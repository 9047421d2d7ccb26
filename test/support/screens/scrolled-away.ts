import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolScreens } from '../../../src/tools/screen/screen-profile.js';
import { anyScreen } from './any-screen.js';
import { capturedScreen, capturedScreens } from './captures.js';
import { signalsIn } from './detected-signals.js';

/**
 * Tests that nothing above a screen changes what is read from it, whatever it is.
 * @param cut captures that do not show the beginning of their latest turn, nor the banner.
 */
export function nothingAboveCounts(tool: string, screens: ToolScreens, version: string, cut: RegExp): void {
  const whole = capturedScreens(tool).filter((screen) => !cut.test(screen));
  const above = fc.oneof(
    anyScreen,
    fc.constantFrom(...whole).map((screen) => capturedScreen(screen)),
  );
  describe('what has scrolled away', () => {
    it.each(whole)('changes nothing of %s', (screen) => {
      const capture = capturedScreen(screen);
      const { surfaceSignature: _, ...alone } = signalsIn(screens, version, capture);
      fc.assert(
        fc.property(above, (earlier) => {
          const text = `${earlier}\n\u001b[0msomeone@host:~$ ${tool}\n${capture}`;
          const { surfaceSignature: __, ...below } = signalsIn(screens, version, text);
          expect(below).toEqual(alone);
        }),
        { numRuns: 15 },
      );
    });
  });
}
