import type { PromptMetadata } from '../../contract/prompt-metadata.js';

// A command: a prompt for an agent of another host, which the fleet keeps until that host has it.
//
//   accepted ──▶ admitting ──▶ admitted ──▶ delivered      the host has taken it into the agent's queue; the agent has it
//      │             └───────▶ refused                     the host cannot take it; the answer says why
//      ├──▶ cancelled                                      before the host had begun to take it
//      └──▶ lapsed                                         its deadline passed before that
//
// `accepted` is left in one step, by comparing and setting the record in the bucket: the first one decides.

export type CommandState =
  | 'accepted'
  | 'admitting'
  | 'admitted'
  | 'delivered'
  | 'refused'
  | 'cancelled'
  | 'lapsed';

/** How far a command came, in the bucket of commands under its id. */
export interface CommandRecord {
  readonly version: 1;
  readonly command_id: string;
  /** The host that it is for. */
  readonly host: string;
  /** The agent there, as the sender named it. */
  readonly agent_ref: string;
  /** Of the body, so that a repeat with another one is noticed. */
  readonly digest: string;
  readonly state: CommandState;
  /** When the engine had it on disk. */
  readonly accepted_at_utc: string;
  readonly deadline_at_utc: string | null;
  /** When it was in the queue of the agent, and the request there. */
  readonly admitted_at_utc: string | null;
  readonly request_id: string | null;
  /** When the agent had it, with evidence. */
  readonly delivered_at_utc: string | null;
  /** When it was refused, cancelled or lapsed. */
  readonly ended_at_utc: string | null;
  /** Why it was refused, or why it still waits; null when there is nothing to say. */
  readonly detail: string | null;
}

/** A command as a message of the stream. */
export interface CommandMessage {
  readonly version: number;
  readonly command_id: string;
  readonly agent_ref: string;
  /** The body of the request, as the contract has it. */
  readonly body: unknown;
  /** The epoch of the agent's lease as the sender knew it. */
  readonly epoch?: number;
  /** The labels of the prompt. */
  readonly metadata?: PromptMetadata;
  readonly digest: string;
  readonly accepted_at_utc: string;
  readonly deadline_at_utc: string | null;
}

/** The version of the messages of this release. */
export const commandVersion = 1;

/** Reads a message. @returns `newer` for one of a later release; null for one that is no command. */
export function readCommand(bytes: Uint8Array): CommandMessage | 'newer' | null {
  const value = objectOf(new TextDecoder().decode(bytes));
  if (value === null || !Number.isSafeInteger(value.version)) return null;
  if ((value.version as number) > commandVersion) return 'newer';
  const texts = [value.command_id, value.agent_ref, value.digest, value.accepted_at_utc];
  const deadline = value.deadline_at_utc;
  const isCommand =
    texts.every((text) => typeof text === 'string') &&
    (deadline === null || typeof deadline === 'string') &&
    typeof value.body === 'object' &&
    value.body !== null;
  return isCommand ? (value as unknown as CommandMessage) : null;
}

/** Reads a record. @returns null for one that is none of this release. */
export function readRecord(text: string): CommandRecord | null {
  const value = objectOf(text);
  return value?.version === 1 && typeof value.command_id === 'string' && typeof value.state === 'string'
    ? (value as unknown as CommandRecord)
    : null;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Pure: the record of a command that the engine has. */
export const acceptedRecord = (message: CommandMessage, host: string): CommandRecord => ({
  version: 1,
  command_id: message.command_id,
  host,
  agent_ref: message.agent_ref,
  digest: message.digest,
  state: 'accepted',
  accepted_at_utc: message.accepted_at_utc,
  deadline_at_utc: message.deadline_at_utc,
  admitted_at_utc: null,
  request_id: null,
  delivered_at_utc: null,
  ended_at_utc: null,
  detail: null,
});

/** Whether nothing happens to a command any more; one that was admitted goes on as a request. */
export const isSettled = ({ state }: Pick<CommandRecord, 'state'>): boolean =>
  state === 'delivered' || state === 'refused' || state === 'cancelled' || state === 'lapsed';

/** Pure: whether the deadline of a command has passed. */
export const isLate = ({ deadline_at_utc }: Pick<CommandRecord, 'deadline_at_utc'>, now: Date): boolean =>
  deadline_at_utc !== null && Date.parse(deadline_at_utc) <= now.getTime();

/** The statuses with which a host says that it could take the command later. */
const notNow: ReadonlySet<number> = new Set([408, 429]);

/**
 * Pure: says what the answer to an admission means: the command is in the queue, it never will be, or it is tried again.
 * @param code of `X-Houmao-Error-Code`.
 */
export function verdictOf(status: number, code: string | null): 'admitted' | 'refused' | 'wait' {
  if (status >= 200 && status < 300) return 'admitted';
  // An agent that was replaced, and a queue that waits for a decision, are settled by a person.
  if (status >= 500 || notNow.has(status) || code === 'blocked_reconciliation') return 'wait';
  return 'refused';
}
