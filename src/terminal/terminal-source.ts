import type { TmuxAsker } from './pane.js';
import type { ListedPane } from './pane-listing.js';

export interface ControlListener {
  /** Called when a program wrote to a pane of the session. @param data as tmux escapes it. */
  wrote: (paneId: string, data: string) => void;
  /** Called once, when a connection that was opened can be asked nothing any more. */
  closed: (reason: string) => void;
}

/** A way to ask the tmux server of a terminal. */
export interface TerminalConnection extends TmuxAsker {
  /** Whether its listener is told what programs write. Where it is not, `writtenAt` of a pane says that something was written. */
  readonly hears: boolean;
  /** The panes of a session, as they are now. @throws {TmuxFault} also when there is no such session. */
  panes(session: string): Promise<readonly ListedPane[]>;
  close(): Promise<void>;
}

/** Panes that were listed for many terminals at once; null where each asks for its own. A fault is thrown by reading it. */
export type Listed = (() => readonly ListedPane[]) | null;

/** Looks at one terminal again and again. */
export interface Following {
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>;
}

/** How a terminal is reached, and when it is looked at. */
export interface TerminalSource {
  /** @throws {TmuxFault} */
  connect(session: string, listener: ControlListener): Promise<TerminalConnection>;
  /** @param look never rejects. */
  follow(session: string, look: (listed: Listed) => Promise<void>): Following;
}
