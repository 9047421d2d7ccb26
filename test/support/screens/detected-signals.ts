import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import type { SeenFrame, ToolScreens } from '../../../src/tools/screen/screen-profile.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';

/** One frame alone. */
export function signalsIn(screens: ToolScreens, version: string | null, capture: string): FrameSignals {
  return screens.profileFor(version).detect({ rows: toStyledRows(capture), at: 0 }, []);
}

/** Frames in a row, each with those of the five seconds before it. */
export function signalsOver(
  screens: ToolScreens,
  version: string,
  frames: readonly { at: number; capture: string }[],
): FrameSignals[] {
  const profile = screens.profileFor(version);
  const seen: SeenFrame[] = [];
  for (const { at, capture } of frames) {
    const frame = { rows: toStyledRows(capture), at };
    const recent = seen.filter((each) => at - each.at <= 5000);
    seen.push({ ...frame, signals: profile.detect(frame, recent) });
  }
  return seen.map((frame) => frame.signals);
}
