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
