/** tmux is not installed, or refused a command. */
export class TmuxFault extends Error {
  override readonly name = 'TmuxFault';
  /** The connection ended before there was an answer: the outcome of the command is unknown. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, { unanswered = false }: { unanswered?: boolean } = {}) {
    super(message);
    this.outcomeUnknown = unanswered;
  }
}

/** Says why the program itself did not run. */
export const startTrouble = ({ code, message }: { code?: unknown; message: string }): string =>
  code === 'ENOENT'
    ? 'tmux was not found; install it (Debian: apt-get install tmux), or launch headless agents with --no-tmux'
    : message;

/** Recognizes that the session, or the whole server, does not exist. */
export const isAbsent = (error: Error): boolean =>
  error instanceof TmuxFault &&
  /can't find session|no server running|no sessions|no current target|lost server|error connecting to .*(No such file|refused)|server (has ended|exited)/.test(
    error.message,
  );

/** The lowest version that supports terminals: it has flags for clients in control mode, and sizes of detached sessions. */
const least = [3, 2] as const;

/**
 * Pure: says why a tmux is too old for agents in terminals; null if it is not, or if its version is not recognized.
 * @param versionText the output of `tmux -V`, such as `tmux 3.3a` or `tmux next-3.5`.
 */
export function tooOld(versionText: string): string | null {
  const [, major = '', minor = ''] = /(\d+)\.(\d+)/.exec(versionText) ?? [];
  if (major === '') return null;
  const [leastMajor, leastMinor] = least;
  const isOld = Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor);
  return isOld
    ? `${versionText.trim()} is too old: an agent in a terminal needs tmux ${least.join('.')} or later`
    : null;
}
