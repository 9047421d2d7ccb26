import type { PaneScreen } from '../../terminal/pane.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import type { ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { TerminalSnapshot, TerminalState } from '../../terminal/tracker/terminal-state.js';

/** The terminal cannot be reached any more: its session, its pane or tmux itself is gone. */
export class TerminalLost extends Error {
  override readonly name = 'TerminalLost';
}

/** The names of a terminal. */
export interface TerminalNames {
  /** The runtime's session id; if there is none, the attach identity. */
  sessionId: string;
  tool: string;
  tmuxSession: string;
  /** The command with which a person attaches to it. */
  attachCommand: string;
}

/** The answer to a question on the screen: the number of a choice, or keys. */
export type DialogAnswer = { choose: number } | { keys: readonly KeySegment[] };

/** The result of an answer, with the question that is on the screen now. */
export type DialogOutcome =
  /** The question that was answered has left the screen. */
  | { outcome: 'answered'; dialog: ShownDialog | null }
  /** The keys were pressed, and the screen still shows the question, or shows it again: now under another id. */
  | { outcome: 'stands'; dialog: ShownDialog | null }
  /** There is another question, or none; nothing was chosen. `moved`: the mark was moved before that was seen. */
  | { outcome: 'another'; dialog: ShownDialog | null; moved: boolean }
  /** The screen stays half drawn, so its question is unknown; nothing was chosen. */
  | { outcome: 'unread'; moved: boolean }
  /** The dialog has no such choice, or no list with a visible mark; nothing was pressed. */
  | { outcome: 'no_choice'; dialog: ShownDialog }
  /** The mark does not move as it should; nothing was chosen. */
  | { outcome: 'unmoved'; dialog: ShownDialog };

/** The screen of a terminal, with a version that changes with everything in it. */
export interface TerminalScreen extends PaneScreen {
  /** Whether the composer holds text that was not sent, as it was last observed. */
  draft: TerminalState['surface']['editingInput'];
  version: string;
}

/** How long a caller waits for a screen that differs from the one with the version `after`. */
export interface ScreenWanted {
  after: string | undefined;
  milliseconds: number;
  signal: AbortSignal;
}

/** The terminal of an agent of this machine. */
export interface AgentTerminal {
  readonly names: TerminalNames;
  /** The version text of the tool; null if it is not known. */
  readonly toolVersion: string | null;
  /** The state at the last observation. */
  readonly state: TerminalState;
  /** Observes the terminal now; faults are in the state. After the stop it returns the last state. */
  observe(): Promise<TerminalState>;
  /** Returns a state that is at most `milliseconds` old; the terminal is observed only if no such state is known. */
  seenWithin(milliseconds: number): Promise<TerminalState>;
  /**
   * Reads the screen as a person would see it.
   * @throws {TerminalLost}
   */
  screen(wanted: ScreenWanted): Promise<TerminalScreen>;
  /** Returns the newest `limit` snapshots, the oldest first; all for zero and less. */
  history(limit: number): readonly TerminalSnapshot[];
  /** Notes for the tracker that a prompt was typed and submitted. */
  notePrompt(prompt: string): TerminalState;
  /**
   * Types keys unchanged, without a check whether the agent is ready.
   * @throws {TerminalLost} keys that were typed before stay typed.
   */
  type(segments: readonly KeySegment[]): Promise<void>;
  /**
   * Answers the question with that id, and no other one. The next answer waits for this one.
   * @throws {TerminalLost} keys that were typed before stay typed.
   */
  answer(dialogId: string, answer: DialogAnswer): Promise<DialogOutcome>;
  /**
   * Removes a prompt from the composer that was pasted and given up, if it still appears there.
   * @param age how long ago it was given up, in milliseconds.
   * @returns true when it cannot appear any more; false if the terminal is no longer observed.
   */
  removeLate(text: string, age: number): Promise<boolean>;
  /** Whether it is observed repeatedly. */
  readonly watched: boolean;
  /** Begins to observe it repeatedly. */
  start(): void;
  /** Ends the repeated observation until the next start; the known state stays. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}
