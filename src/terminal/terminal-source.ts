import type { TmuxAsker } from './pane.js';
import type { ListedPane } from './pane-listing.js';

export interface ControlListener {
  /** Called when a program wrote to a pane of the session. @param data as tmux escapes it. */
  wrote: (paneId: string, data: string) => void;
  /** Called once, when an open connection cannot take commands any more. */
  closed: (reason: string) => void;
}

/** A connection to the tmux server of a terminal. */
export interface TerminalConnection extends TmuxAsker {
  /** Whether its listener gets the output of programs. If not, `writtenAt` of a pane shows that something was written. */
  readonly hears: boolean;
  /** Lists the panes of a session, as they are now. @throws {TmuxFault} also if there is no such session. */
  panes(session: string): Promise<readonly ListedPane[]>;
  close(): Promise<void>;
}

/**
 * Returns the panes that were listed for many terminals at once, or throws the fault of that listing. Null if each terminal lists
 * its own.
 */
export type Listed = (() => readonly ListedPane[]) | null;

/** The repeated observation of one terminal. */
export interface RepeatedObservation {
  /** Resolves when no observation is running any more. */
  stop(): Promise<void>;
}

/** The way to reach a terminal, and the times at which it is observed. */
export interface TerminalSource {
  /** @throws {TmuxFault} */
  connect(session: string, listener: ControlListener): Promise<TerminalConnection>;
  /** @param look observes the terminal; never rejects. */
  follow(session: string, look: (listed: Listed) => Promise<void>): RepeatedObservation;
}
