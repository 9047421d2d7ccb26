import type { Dialog } from './dialog.js';

/** What one look may leave open. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** Whether the conversation can go on as it is; `degraded`: the tool could not compact it. */
export interface ChatContext {
  state: 'current' | 'degraded' | 'unknown';
  diagnostic: { degradedErrorType: string; messagePreview: string } | null;
}

/** What a detector sees in one frame: the text of a pane with its styles. */
export interface FrameSignals {
  detector: { name: string; version: string };
  /** Whether the composer takes typed text. */
  acceptingInput: Tristate;
  /** Whether a draft stands in the composer. */
  editingInput: Tristate;
  /** Whether the agent waits for a prompt. */
  readyPosture: Tristate;
  /** Whether prompts wait in the tool's own queue. */
  pendingInput: Tristate;
  promptVisible: boolean;
  /** The draft, only where the text is surely a draft. Rows of one draft are joined with `\n`. */
  promptText: string | null;
  /** Why the agent is seen at work, such as `thinking_line`; empty where it is not. */
  activeReasons: readonly string[];
  interrupted: boolean;
  knownFailure: boolean;
  currentError: boolean;
  successCandidate: boolean;
  successBlocked: boolean;
  completionMarker: boolean;
  /** The tool's own word on what it does or did last, for people. */
  statusLine: string | null;
  /** The dialog that is up. */
  dialog: Dialog | null;
  /** A menu of slash commands or another overlay that Enter would choose from, and that is no dialog. */
  overlay: 'slash_command' | null;
  chatContext: ChatContext;
  /** SHA-256 of the text, without styles, in hexadecimal. */
  surfaceSignature: string;
  notes: readonly string[];
}
