import type { PromptMetadata } from '../../contract/prompt-metadata.js';
import { promptBeginning } from '../../foundation/text.js';

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
  /** The beginning of the prompt; left out where the body is of another form. */
  readonly prompt_preview?: string;
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
export function acceptedRecord(message: CommandMessage, host: string): CommandRecord {
  const { payload } = message.body as { payload?: { prompt?: unknown } };
  const prompt = payload?.prompt;
  return {
    version: 1,
    command_id: message.command_id,
    host,
    agent_ref: message.agent_ref,
    ...(typeof prompt === 'string' && { prompt_preview: promptBeginning(prompt) }),
    digest: message.digest,
    state: 'accepted',
    accepted_at_utc: message.accepted_at_utc,
    deadline_at_utc: message.deadline_at_utc,
    admitted_at_utc: null,
    request_id: null,
    delivered_at_utc: null,
    ended_at_utc: null,
    detail: null,
  };
}

/** Which commands a caller asks for. */
export interface CommandFilter {
  readonly host: string | undefined;
  /** The names of the agent, one of which the sender used; null for all agents. */
  readonly agents: ReadonlySet<string> | null;
  readonly state: 'waiting' | 'all';
  readonly limit: number;
}

/** The commands that a caller gets, and how many there are with those beyond the limit. */
export interface CommandList {
  readonly commands: readonly CommandRecord[];
  readonly total: number;
}

/** Pure: the commands that a filter lets pass: those that wait in the order in which they were given, all of them the latest first. */
export function chosenCommands(
  records: readonly CommandRecord[],
  { host, agents, state, limit }: CommandFilter,
): CommandList {
  const found = records
    .filter((record) => host === undefined || record.host === host)
    .filter((record) => agents === null || agents.has(record.agent_ref))
    .filter((record) => state === 'all' || isWaiting(record))
    .sort((one, other) => (one.accepted_at_utc < other.accepted_at_utc ? -1 : 1));
  if (state === 'all') found.reverse();
  return { commands: found.slice(0, limit), total: found.length };
}

/** Whether a command is not in the queue of its agent yet, and may still come there. */
export const isWaiting = ({ state }: Pick<CommandRecord, 'state'>): boolean =>
  state === 'accepted' || state === 'admitting';

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
