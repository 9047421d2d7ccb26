/** tmux is not installed, or refused. */
export class TmuxFault extends Error {
  override readonly name = 'TmuxFault';
}
