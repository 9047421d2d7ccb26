import type { KeySegment } from '../../terminal/terminal-input.js';
import type { ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { TerminalSnapshot, TerminalState } from '../../terminal/tracker/terminal-state.js';

/** A terminal that is reached by no name any more: its session, its pane or tmux itself is gone. */
export class TerminalLost extends Error {
  override readonly name = 'TerminalLost';
}

/** What a terminal is called. */
export interface TerminalNames {
  /** The runtime's session id; without one the attach identity. */
  sessionId: string;
  tool: string;
  tmuxSession: string;
  /** The command with which a person sees it. */
  attachCommand: string;
}

/** How a question on the screen is to be answered: by the choice of that number, or by keys. */
export type DialogAnswer = { choose: number } | { keys: readonly KeySegment[] };

/** What became of an answer, with the question that stands on the screen now. */
export type DialogAnswered =
  /** The question that was answered has left the screen. */
  | { outcome: 'answered'; dialog: ShownDialog | null }
  /** The keys were pressed, and the screen shows the question still, or again: now under another id. */
  | { outcome: 'stands'; dialog: ShownDialog | null }
  /** Another question stands there, or none; nothing was chosen. `moved`: the mark was moved before that was seen. */
  | { outcome: 'another'; dialog: ShownDialog | null; moved: boolean }
  /** The screen stays half drawn, so what it asks is not known; nothing was chosen. */
  | { outcome: 'unread'; moved: boolean }
  /** It has no such choice, or no list whose mark can be seen; nothing was pressed. */
  | { outcome: 'no_choice'; dialog: ShownDialog }
  /** The mark does not move as it should; nothing was chosen. */
  | { outcome: 'unmoved'; dialog: ShownDialog };

/** The terminal of an agent of this machine. */
export interface AgentTerminal {
  readonly names: TerminalNames;
  /** What the tool says of its version; null where that is not known. */
  readonly toolVersion: string | null;
  /** As last looked at. */
  readonly state: TerminalState;
  /** Looks at it now; what goes wrong there is in the state. After the stop, what was seen last. */
  look(): Promise<TerminalState>;
  /** As it was at most so many milliseconds ago; it is looked at only where that is not known. */
  seenWithin(milliseconds: number): Promise<TerminalState>;
  /** The newest `limit` snapshots, the oldest first; all for zero and less. */
  history(limit: number): readonly TerminalSnapshot[];
  /** Tells the tracker that somebody typed and submitted a prompt. */
  notePrompt(prompt: string): TerminalState;
  /**
   * Types keys as they are; nothing is asked whether the agent is ready.
   * @throws {TerminalLost} what was typed before stays typed.
   */
  type(segments: readonly KeySegment[]): Promise<void>;
  /**
   * Answers the question of that id, and no other one. The next answer waits for this one.
   * @throws {TerminalLost} what was typed before stays typed.
   */
  answer(dialogId: string, answer: DialogAnswer): Promise<DialogAnswered>;
  /**
   * Takes a prompt out of the composer that was pasted and given up, should it still appear there.
   * @param age how long ago it was given up, in milliseconds.
   * @returns whether it cannot appear any more; false when the terminal is no longer looked at.
   */
  removeLate(text: string, age: number): Promise<boolean>;
  /** Whether it is looked at again and again. */
  readonly watched: boolean;
  /** Begins to look at it again and again. */
  start(): void;
  /** Ends that until the next start; what is known stays. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}
