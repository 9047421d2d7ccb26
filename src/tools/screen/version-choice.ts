import { compareVersions, type ToolVersion, toolVersionIn } from './tool-version.js';

/** What goes for the versions from `from` to, but not including, `before`. */
export interface VersionRange<T> {
  from: ToolVersion;
  before: ToolVersion;
  value: T;
}

export interface VersionChoice<T> {
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
