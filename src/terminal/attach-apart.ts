import { join } from 'node:path';
import { systemClock } from '../foundation/clock.js';
import { apart } from '../foundation/file-lock.js';

// Workaround for https://github.com/tmux/tmux/pull/4980 (3.3a to 3.5a at least): a server that notifies its control clients of a
// session or a window that came or went ends with a segmentation fault, and all sessions with it, if one of these clients is just
// connecting. So no program of ours changes sessions or windows while one of ours connects. It cannot keep other programs, and
// panes that end by themselves, from that moment; test/unit/terminal/attach-apart.test.ts shows when the workaround can be
// removed.

/**
 * A connection is made within some milliseconds, on a busy machine within some hundred, and several programs may be waiting. One
 * that takes seconds waits for a tmux that does not answer.
 */
const patience = { clock: systemClock, inAll: 10_000, forOne: 3000 };

/** A tmux server, as its programs find it. */
export interface TmuxAddress {
  environment: NodeJS.ProcessEnv;
  socketPath: string | null;
}

/** Returns the socket of a server for which no other one was named. */
export const usualSocket = ({ TMUX_TMPDIR }: NodeJS.ProcessEnv): string =>
  join(TMUX_TMPDIR || '/tmp', `tmux-${process.getuid?.() ?? 0}`, 'default');

/** Returns the path of the lock with which the programs of a server wait for each other: beside its socket. */
export function apartPath({ environment, socketPath }: TmuxAddress): string {
  const named = socketPath ?? environment.TMUX?.split(',')[0];
  return `${named || usualSocket(environment)}.houmao`;
}

/**
 * Runs work that connects to a server, or changes its sessions or windows. It waits, within its patience, until no other program
 * of ours does either.
 */
export const whileApart = <T>(place: TmuxAddress, work: () => Promise<T>): Promise<T> =>
  apart(apartPath(place), patience, work);
