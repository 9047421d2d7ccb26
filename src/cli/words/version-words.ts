import { isOlder, version } from '../../foundation/version.js';
import { unlessMissing } from './call-failure.js';

/** The first release whose programs tell their version. */
const firstThatTells = '0.2.0';

/**
 * Asks a program for its version.
 * @param isOurs whether it is surely a program of ours, and not one of the older implementation.
 * @returns null when it gives no answer; `<0.2.0` when it is of a release that does not tell it.
 */
export async function toldVersion(
  about: Promise<{ version: string }>,
  isOurs: boolean,
): Promise<string | null> {
  try {
    const answer = await unlessMissing(about);
    return answer?.version ?? (isOurs ? `<${firstThatTells}` : null);
  } catch {
    return null;
  }
}

/** A program of which a version is known. */
export interface Versioned {
  /** The subject of the sentence, such as `The gateway of alpha`. */
  readonly subject: string;
  readonly version: string | null;
  /** The command that starts this release in its place; null where it cannot be given from here. */
  readonly remedy: string | null;
}

/** Pure: a line for each program that is older than this one, with the remedy. @param own the version of this program. */
export const olderLines = (programs: readonly Versioned[], own = version): string[] =>
  programs.flatMap(({ subject, version: its, remedy }) =>
    its === null || !isOlder(its, own)
      ? []
      : [`${subject} is ${versionWords(its)}, this is ${own}${remedy === null ? '.' : `: ${remedy}`}`],
  );

const versionWords = (its: string): string => (its.startsWith('<') ? `older than ${its.slice(1)}` : its);
