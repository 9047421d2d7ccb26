import type { FrameSignals } from './frame-signals.js';
import type { StyledRow } from './styled-rows.js';

/**
 * The content of a pane at one moment: its rows from the top, and the time of the capture (milliseconds of a monotonic clock).
 */
export interface Frame {
  rows: readonly StyledRow[];
  at: number;
}

/** A frame with the signals that were read in it. */
export interface SeenFrame extends Frame {
  signals: FrameSignals;
}

/** The reader of one tool's screens, for a range of its versions. */
export interface ScreenProfile {
  /** The range of versions, such as `2.1.x`; `fallback` for untested versions. */
  version: string;
  /**
   * Reads the signals of a frame. Pure: the same frames give the same signals. `recent` holds the frames of the last seconds, the
   * oldest first.
   */
  detect(frame: Frame, recent: readonly SeenFrame[]): FrameSignals;
}

/**
 * The pauses that a tool needs between keys of a program, in milliseconds: it takes input that arrives together for a paste, or
 * for one key.
 */
export interface KeyPauses {
  /** Between a text and a key: to some tools an Enter that arrives with the text is a line break. */
  text: number;
  /** After Escape: a letter that arrives with it turns it into another key (Alt and the letter). */
  escape: number;
}

/** The pauses for untested tools: the slowest known tool takes an Enter 120 ms after a text. */
export const cautiousPauses: KeyPauses = { text: 250, escape: 250 };

/** The screens of one tool. */
export interface ToolScreens {
  /** The name of the detector, such as `claude_code`. */
  name: string;
  /** Names of the tool's process, in lower case. */
  processNames: readonly string[];
  keyPauses: KeyPauses;
  /** @param version the version text of the tool, in any form; null if it is not known. */
  profileFor(version: string | null): ScreenProfile;
}

/** A value for the versions from `from` to, but not including, `before`. */
export interface VersionRange<T> {
  from: ToolVersion;
  before: ToolVersion;
  value: T;
}

interface VersionChoice<T> {
  value: T;
  /** The version is newer than every range, and `value` is that of the newest range. */
  newerThanKnown: boolean;
}

/**
 * Chooses the range for a version. A version above all ranges gets the newest one, because tools change their screens gradually.
 * Null for an unknown version, and for one below or between the ranges.
 */
export function versionChoice<T>(
  version: string | null,
  ranges: readonly VersionRange<T>[],
): VersionChoice<T> | null {
  const known = toolVersionIn(version);
  if (known === null) return null;
  const within = ranges.find(
    ({ from, before }) => compareVersions(known, from) >= 0 && compareVersions(known, before) < 0,
  );
  if (within !== undefined) return { value: within.value, newerThanKnown: false };
  const newest = ranges.toSorted((one, other) => compareVersions(other.from, one.from))[0];
  if (newest === undefined || compareVersions(known, newest.before) < 0) return null;
  return { value: newest.value, newerThanKnown: true };
}

/** The note on a frame that was read with the profile of an older version. */
export const newerVersionNote = 'newest_profile_for_newer_version';

/** Major, minor and patch; a missing patch is 0. */
export type ToolVersion = readonly [major: number, minor: number, patch: number];

/** Returns the first `N.N` or `N.N.N` anywhere in the version text of a tool; null if there is none. */
export function toolVersionIn(text: string | null): ToolVersion | null {
  const match = /([0-9]+)\.([0-9]+)(?:\.([0-9]+))?/.exec(text ?? '');
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Compares two versions: negative if `one` is the older. */
export function compareVersions(one: ToolVersion, other: ToolVersion): number {
  const differing = one.findIndex((part, index) => part !== other[index]);
  return differing < 0 ? 0 : one[differing]! - other[differing]!;
}
