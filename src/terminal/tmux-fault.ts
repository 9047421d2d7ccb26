/** tmux is not installed, or refused. */
export class TmuxFault extends Error {
  override readonly name = 'TmuxFault';
  /** The connection ended before there was an answer: whether tmux did what was asked is not known. */
  readonly unanswered: boolean;

  constructor(message: string, { unanswered = false }: { unanswered?: boolean } = {}) {
    super(message);
    this.unanswered = unanswered;
  }
}

/** Why the program itself did not run, in words. */
export const startTrouble = ({ code, message }: { code?: unknown; message: string }): string =>
  code === 'ENOENT'
    ? 'tmux was not found; install it (Debian: apt-get install tmux), or launch headless agents with --no-tmux'
    : message;

/** Whether tmux says that the session, or the whole server, is not there. */
export const isAbsence = (error: Error): boolean =>
  error instanceof TmuxFault &&
  /can't find session|no server running|no sessions|no current target|lost server|error connecting to .*(No such file|refused)|server (has ended|exited)/.test(
    error.message,
  );

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
