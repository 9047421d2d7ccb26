import type { FrameSignals } from './frame-signals.js';
import type { StyledRow } from './styled-rows.js';

/** A look at a pane: its rows from the top, and when it was taken (milliseconds of a monotonic clock). */
export interface Frame {
  rows: readonly StyledRow[];
  at: number;
}

/** A frame with what was seen in it. */
export interface SeenFrame extends Frame {
  signals: FrameSignals;
}

/** How the screens of one tool are read, for a range of its versions. */
export interface ScreenProfile {
  /** Such as `2.1.x`; `fallback` for versions that were never looked at. */
  version: string;
  /** Pure: the same frames give the same signals. `recent` holds the frames of the last seconds, the oldest first. */
  detect(frame: Frame, recent: readonly SeenFrame[]): FrameSignals;
}

/** What a tool needs between keys that are no person's, in milliseconds: what comes together is a paste to it, or one key. */
export interface KeyPauses {
  /** Between a text and a key: an Enter that comes with the text is a line break to some tools. */
  text: number;
  /** After Escape: what comes with it makes another key of it (Alt and a letter). */
  escape: number;
}

/** For tools that nobody has tried: the slowest known one takes an Enter 120 ms after a text. */
export const cautiousPauses: KeyPauses = { text: 250, escape: 250 };

/** The screens of one tool. */
export interface ToolScreens {
  /** Such as `claude_code`. */
  name: string;
  /** Names of the tool's process, in lower case. */
  processNames: readonly string[];
  keyPauses: KeyPauses;
  /** @param version what the tool says of itself, in any words; null when it is not known. */
  profileFor(version: string | null): ScreenProfile;
}
