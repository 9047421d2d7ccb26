import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';

/** One agent's terminal of this host, as it can be looked at. */
export interface SeenTerminal {
  /** Whether it is looked at again and again: not while a live gateway owns the session. */
  readonly watched: boolean;
  /** What the tool says of its version; null where that is not known. */
  readonly toolVersion: string | null;
  /** As last looked at. */
  readonly state: TerminalState;
  /** Looks at it now, whoever owns the session; a look that fails is told of by the state. Never rejects. */
  look(): Promise<TerminalState>;
  /** As it was at most so many milliseconds ago; it is looked at only where that is not known. Never rejects. */
  seenWithin(milliseconds: number): Promise<TerminalState>;
}

/**
 * One agent in a terminal of this host that prompts can be typed into. It is watched once, for what is told of it and for the
 * prompts that it gets, so that both have the same facts.
 */
export interface DirectTerminal extends SeenTerminal {
  /**
   * The way to the agent, for prompts, keys and interrupts: the same object as long as the agent is listed. Whoever begins or
   * adopts turns with it holds the {@link TurnOwnership} of its session. Its terminal is started and stopped here only.
   */
  readonly target: AgentTarget;
  readonly terminal: AgentTerminal;
  /** Has a listener called when something about the terminal has changed. @returns ends that. */
  listen(changed: () => void): () => void;
}

/** What of an agent says which terminal it has. */
export interface TerminalOwner {
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  readonly tmuxSessionName: string | null;
  readonly sessionRoot: string | null;
}

/** The terminals of all agents of this host. */
export interface DirectTerminals {
  /** Null for an agent that runs in no terminal of this machine, and for one whose manifest cannot be read. */
  of(agent: TerminalOwner): DirectTerminal | null;
  /** Also of an agent whose manifest cannot be read, or that has none. @param agent one in a terminal. */
  seen(agent: TerminalOwner): SeenTerminal;
}
