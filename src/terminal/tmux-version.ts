/** What terminals need: flags of clients in control mode, and sizes of detached sessions. */
const least = [3, 2] as const;

/**
 * Pure: why a tmux is too old for agents in terminals, in a sentence; null when it is not, or when its version cannot be told.
 * @param told what `tmux -V` prints, such as `tmux 3.3a` or `tmux next-3.5`.
 */
export function tooOld(told: string): string | null {
  const [, major = '', minor = ''] = /(\d+)\.(\d+)/.exec(told) ?? [];
  if (major === '') return null;
  const [leastMajor, leastMinor] = least;
  const isOld = Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor);
  return isOld
    ? `${told.trim()} is too old: an agent in a terminal needs tmux ${least.join('.')} or later`
    : null;
}
