import type { PlannedPrompt } from './scenario.js';

// The known facts after a scenario, from everybody who took part: plain data for the model checker.

/** The answer of the gateway to a prompt. */
export type Answer =
  /** It went away before it had answered, and was not asked again. */
  | { kind: 'none' }
  | { kind: 'accepted'; id: string }
  | { kind: 'sent'; turnId: string }
  | { kind: 'refused'; status: number; code: string; detail: string };

export interface SentPrompt extends PlannedPrompt {
  answer: Answer;
  /** So long the answer took. */
  milliseconds: number;
}

export interface RequestSeen {
  id: string;
  prompt: string;
  state: string;
  errorCode: string | null;
  errorDetail: string | null;
  /** The gateway's last reason for why it waits; null where it gave none. */
  waiting: string | null;
}

export interface TurnSeen {
  id: string;
  origin: string;
  requestId: string | null;
  state: string;
  delivery: string;
  evidence: string | null;
  outcome: string | null;
  errorCode: string | null;
  errorDetail: string | null;
}

export interface EventSeen {
  kind: string;
  /** The request, turn or reminder that it is about. */
  subject: string | null;
  detail: string | null;
}

/** A line of the stand-in's ledger. */
export interface LedgerRow {
  at: string;
  pid: number;
  prompt?: string;
  queued?: string;
  command?: string;
  /** The prompt without marks around large pastes. */
  text?: string;
  source?: string;
  done?: boolean;
  outcome?: string;
  dialog?: string;
  shown?: boolean;
  key?: string;
  answer?: string | null;
  exit?: string;
}

/** A key that somebody pressed who is not the gateway, in milliseconds of the clock. */
export interface PersonKey {
  at: number;
  key: string;
}

export interface Facts {
  prompts: readonly SentPrompt[];
  requests: readonly RequestSeen[];
  turns: readonly TurnSeen[];
  events: readonly EventSeen[];
  /** Reminders that the last gateway still has. */
  reminders: readonly string[];
  ledger: readonly LedgerRow[];
  personKeys: readonly PersonKey[];
  /** The texts that somebody typed into the composer. */
  drafts: readonly { at: number; tag: string }[];
  /** So much later than it was typed a text may be seen, in milliseconds. */
  blindMilliseconds: number;
  /** When somebody asked the gateway to interrupt, or forced a prompt: it may press Escape then. */
  interruptsAsked: readonly number[];
  /** Everything that the shell behind the agent was given. */
  shell: string;
  gatewaysKilled: number;
}

export const violationKinds = [
  'false sent',
  'doubled',
  'merged',
  'changed',
  'lost',
  'taken though failed',
  'out of order',
  'dialogs answered',
  'shell fed',
] as const;
export type ViolationKind = (typeof violationKinds)[number];

export interface Violation {
  kind: ViolationKind;
  /** The contradiction, in words for people. */
  what: string;
}
