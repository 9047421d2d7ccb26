import { join } from 'node:path';
import { systemClock } from '../foundation/clock.js';
import { apart } from '../foundation/file-lock.js';

// Workaround for https://github.com/tmux/tmux/pull/4980 (3.3a to 3.5a at least): a server that tells its control clients of a
// session or a window that came or went ends with a segmentation fault, and all sessions with it, where one of these clients is
// just connecting. So no program of ours changes sessions or windows while one of ours connects. What others do, and panes that
// end by themselves, it cannot keep from that moment; test/unit/terminal/attach-apart.test.ts tells when it can go.

/**
 * A connection stands after some milliseconds, on a busy machine after some hundred, and several programs may be waiting. One that
 * takes seconds waits for a tmux that does not answer.
 */
const patience = { clock: systemClock, inAll: 10_000, forOne: 3000 };

/** A tmux server, as its programs find it. */
export interface TmuxPlace {
  environment: NodeJS.ProcessEnv;
  socketPath: string | null;
}

/** Where a server listens that nobody named otherwise. */
export const usualSocket = ({ TMUX_TMPDIR }: NodeJS.ProcessEnv): string =>
  join(TMUX_TMPDIR || '/tmp', `tmux-${process.getuid?.() ?? 0}`, 'default');

/** Where the programs of a server wait for each other: beside its socket. */
export function apartPath({ environment, socketPath }: TmuxPlace): string {
  const named = socketPath ?? environment.TMUX?.split(',')[0];
  return `${named || usualSocket(environment)}.houmao`;
}

/** Does what connects to a server, or changes its sessions or windows, while no other program of ours does either. */
export const whileApart = <T>(place: TmuxPlace, work: () => Promise<T>): Promise<T> =>
  apart(apartPath(place), patience, work);
