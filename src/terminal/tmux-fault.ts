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

/** Whether tmux says that the session, or the whole server, is not there. */
export const isAbsence = (error: Error): boolean =>
  error instanceof TmuxFault &&
  /can't find session|no server running|no sessions|error connecting to .*(No such file|refused)|server (has ended|exited)/.test(
    error.message,
  );
