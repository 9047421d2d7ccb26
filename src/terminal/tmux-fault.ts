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
