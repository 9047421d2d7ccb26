// The parts of a scenario: one agent in a terminal, with its faults, from its launch to its stop.

/** How a prompt reaches the gateway. */
export type Door = 'request' | 'direct' | 'reminder';

/** The process that is ended, and when: `after-paste` once the prompt stands in the composer. */
export type Kill = 'gateway' | 'gateway-after-paste' | 'agent' | 'agent-after-paste' | 'session' | 'server';

/** The act of a person at the same terminal. */
export type PersonAct = 'draft' | 'prompt' | 'copy-mode';

export interface PlannedPrompt {
  /** In this prompt and nowhere else. */
  tag: string;
  door: Door;
  /** Only direct prompts are. */
  forced: boolean;
  shape: string;
  prompt: string;
}

/** Prompts that are sent at once, and what happens meanwhile; the next round begins when they have come to rest. */
export interface Round {
  prompts: readonly PlannedPrompt[];
  /** Sends them only when the gateway says that a prompt may go in, if it ever does. */
  whenReady: boolean;
  /** Milliseconds after they were sent. */
  person: { act: PersonAct; after: number; text: string } | null;
  kill: { kind: Kill; after: number } | null;
  /** Asks for an interrupt that much later; null for none. */
  interruptAfter: number | null;
}

export interface Scenario {
  number: number;
  /** Of `HOUMAO_STANDIN_TUI`. */
  switches: readonly string[];
  /** Tools ask for no permission. */
  unattended: boolean;
  rounds: readonly Round[];
  /** How long somebody looks at a dialog before answering it, in milliseconds. */
  dialogAfter: number;
  /** Whether permission is given. */
  permits: boolean;
}
