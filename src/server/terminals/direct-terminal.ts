import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';

/** The terminal of an agent of this host, for observation. */
export interface SeenTerminal {
  /** Whether it is observed repeatedly: not while a live gateway owns the session. */
  readonly watched: boolean;
  /** The version that the tool reports; null where that is not known. */
  readonly toolVersion: string | null;
  /** The state at the last observation. */
  readonly state: TerminalState;
  /** Observes it now, whichever process owns the session; a failed observation is shown by the state. Never rejects. */
  look(): Promise<TerminalState>;
  /** Returns a state that is at most `milliseconds` old; it observes the terminal only where none is known. Never rejects. */
  seenWithin(milliseconds: number): Promise<TerminalState>;
}

/**
 * The terminal of an agent of this host into which prompts can be typed. It is watched once, for its observers and for
 * the prompts that it gets, so that both have the same facts.
 */
export interface DirectTerminal extends SeenTerminal {
  /**
   * The target for prompts, keys and interrupts: the same object as long as the agent is listed. A caller that begins or
   * adopts turns with it holds the {@link TurnOwnership} of its session. Its terminal is started and stopped here only.
   */
  readonly target: AgentTarget;
  readonly terminal: AgentTerminal;
  /**
   * Calls a listener when something about the terminal has changed.
   * @returns the function that ends that.
   */
  listen(changed: () => void): () => void;
}

/** The part of an agent that says which terminal it has. */
export interface TerminalOwner {
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  readonly tmuxSessionName: string | null;
  readonly sessionRoot: string | null;
}

/** The terminals of all agents of this host. */
export interface DirectTerminals {
  /** Returns null for an agent that runs in no terminal of this machine, and for one whose manifest cannot be read. */
  of(agent: TerminalOwner): DirectTerminal | null;
  /**
   * Returns the terminal even of an agent whose manifest cannot be read, or that has none.
   * @param agent one in a terminal.
   */
  seen(agent: TerminalOwner): SeenTerminal;
}
