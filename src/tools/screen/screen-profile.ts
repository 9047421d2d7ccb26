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

/** What goes for the versions from `from` to, but not including, `before`. */
export interface VersionRange<T> {
  from: ToolVersion;
  before: ToolVersion;
  value: T;
}

interface VersionChoice<T> {
  value: T;
  /** The version is newer than every range, and this is the value of the newest one. */
  newerThanKnown: boolean;
}

/**
 * The range that a version falls into. A version above all of them gets the newest: tools change their screens little by
 * little. Null for a version below or between them, or that is not known.
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

/** Said in the notes of a frame that was read with the profile of an older version. */
export const newerVersionNote = 'newest_profile_for_newer_version';

/** Major, minor and patch; a patch that is not told is 0. */
export type ToolVersion = readonly [major: number, minor: number, patch: number];

/** The first `N.N` or `N.N.N` anywhere in what a tool says of its version; null where there is none. */
export function toolVersionIn(text: string | null): ToolVersion | null {
  const match = /([0-9]+)\.([0-9]+)(?:\.([0-9]+))?/.exec(text ?? '');
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Below zero where `one` is the older. */
export function compareVersions(one: ToolVersion, other: ToolVersion): number {
  const differing = one.findIndex((part, index) => part !== other[index]);
  return differing < 0 ? 0 : one[differing]! - other[differing]!;
}
