import { createHash, randomBytes } from 'node:crypto';
import { type PromptSettings, sessionTrouble } from '../../agent/target/agent-target.js';
import { type PromptMetadata, withMetadata } from '../../contract/prompt-metadata.js';
import { keyOfAnotherBody, logNamePrefix } from '../../contract/refusals.js';
import { receiptOf } from '../../dispatch/direct-prompt.js';
import { type PromptPayload, promptPayload } from '../../dispatch/queue/request-rows.js';
import { UnusableFile } from '../../foundation/faults.js';
import { newTurnId } from '../../foundation/ids.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { bodyDigest, checkKey, type KeyedCall } from '../../storage/idempotency-keys.js';
import { StoreUnavailable } from '../../storage/storage-fault.js';
import type { TurnRow } from '../../turn/turn-table.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import { RecordsUnreadable, type SessionRecords } from '../sessions/session-records.js';

// The prompts and interrupts that are submitted to an agent: why one is refused, and the earlier answer to a key.

/** The route of a prompt: the one for every agent, or the one for turns of headless agents. */
export type PromptWay = 'requests' | 'turns';

/** The reason why a prompt, an interrupt or a read of a turn failed. */
export interface TurnRefusal {
  readonly refused: /** The operation is for headless agents. */
    | 'not_headless'
    /** Something else runs or has to be settled first. */
    | 'busy'
    /** Another turn runs than the one that is meant, or none. */
    | 'other_turn'
    /** This agent cannot take it. */
    | 'invalid'
    /** The key was used with another body. */
    | 'key_reused'
    /** The running work could not be signalled. */
    | 'signal_failed'
    /** The agent, its session or its gateway cannot be reached now. */
    | 'unavailable'
    /** The agent has no such turn. */
    | 'no_turn';
  /** A sentence for callers. */
  readonly detail: string;
  /** The turn that keeps the agent busy. */
  readonly activeTurnId?: string;
  /** The request in the gateway's queue that is to begin the turn, or ended before it did. */
  readonly requestId?: string;
  /** Set where the outcome is unknown, with the turn that shows it; null where there is none. */
  readonly outcomeUnknown?: { readonly turnId: string | null };
}

export const refuse = (refused: TurnRefusal['refused'], detail: string): TurnRefusal => ({ refused, detail });

/**
 * Refuses a call whose outcome is unknown.
 * @param turnId the turn that shows the outcome, where there is one
 */
export const outcomeUnknown = (detail: string, turnId: string | null): TurnRefusal => ({
  ...refuse('unavailable', detail),
  outcomeUnknown: { turnId },
});

export const isRefused = (value: object): value is TurnRefusal => 'refused' in value;

/** The alternative of an agent in a terminal to an operation of headless agents; none for calls between gateway and server. */
const instead = {
  prompt: ' Prompt it with POST …/requests.',
  interrupt: ' Interrupt it with POST …/requests.',
  turn: ' Its turns are at GET …/turns/{turn_id}/record.',
  internal: '',
} as const;

export const notHeadless = (name: string, asked: keyof typeof instead): TurnRefusal =>
  refuse(
    'not_headless',
    `Agent \`${name}\` runs in a terminal; this operation is for headless agents.${instead[asked]}`,
  );

export const noSession = (agent: ManagedAgent): TurnRefusal =>
  refuse(
    'unavailable',
    `Agent \`${spokenName(agent)}\` has no session root, so it cannot be prompted from here.`,
  );

/** @param way the way to make a prompt wait for the end of the turn. */
export const activeTurn = (name: string, turnId: string | null, way: string): TurnRefusal => ({
  ...refuse('busy', `Agent \`${name}\` works${turnId === null ? '' : ` on turn \`${turnId}\``}; ${way}.`),
  ...(turnId !== null && { activeTurnId: turnId }),
});

/** The way for an agent with a gateway. */
export const queuesBehindIt = '`/gateway/requests` queues a prompt behind it';
/** The way for an agent without one. */
export const queuesWithGateway = `with a gateway attached, ${queuesBehindIt}`;

/**
 * Converts a fault in the files of a session, such as other processes cause, to a refusal without their paths.
 * @throws the error when it is a fault in the code.
 */
export function sessionRefusal(error: unknown, way: PromptWay): TurnRefusal {
  if (error instanceof RecordsUnreadable) return refuse('unavailable', error.message);
  if (error instanceof StoreUnavailable) return refuse('unavailable', error.fault.detail);
  if (!(error instanceof UnusableFile)) throw error;
  // On the route of turns, an agent that cannot be resumed is a conflict.
  return refuse(way === 'turns' ? 'busy' : 'unavailable', sessionTrouble(error));
}

/** A prompt for an agent, as it came. */
export interface SubmittedPrompt extends PromptSettings {
  readonly way: PromptWay;
  /** Trimmed. */
  readonly prompt: string;
  /** The `Idempotency-Key`. */
  readonly key: string | null;
  /** Its labels; null without any. */
  readonly metadata: PromptMetadata | null;
}

/** A prompt that was taken. */
export interface TakenPrompt {
  readonly requestId: string;
  readonly turnId: string;
  /** The number of its turn; for a prompt that waits in a gateway's queue, the number it will have. */
  readonly turnIndex: number;
  /** The request in the gateway's queue; null where there is none. */
  readonly queuedAs: string | null;
}

export type Prompted = (TakenPrompt & { readonly replayed: boolean }) | TurnRefusal;

/**
 * The names of one submission. The same key at the same route gives the same names again. So a prompt that was taken under a
 * key is found by its names, also in the queue of a gateway, which stores no route.
 */
export interface SubmissionNames {
  readonly turnId: string;
  readonly requestId: string;
}

export function namesOf(
  agentId: string,
  { way, key }: Pick<SubmittedPrompt, 'way' | 'key'>,
): SubmissionNames {
  if (key === null) return { turnId: newTurnId(), requestId: newRequestId() };
  const digest = createHash('sha256').update(`${agentId}\n${way}\n${key}`).digest('hex');
  return { turnId: `turn-${digest.slice(0, 12)}`, requestId: `${logNamePrefix}${digest.slice(12, 24)}` };
}

/** `mreq-0f3c9d2b7a11`. */
export const newRequestId = (): string => `${logNamePrefix}${randomBytes(6).toString('hex')}`;

export const digestOf = ({ way, prompt, chatSession, execution, metadata }: SubmittedPrompt): string =>
  bodyDigest(withMetadata({ way, prompt, chatSession, execution }, metadata));

/** Returns the payload that a gateway stores for such a prompt. */
export const queuedPayload = (
  { prompt, chatSession, execution }: SubmittedPrompt,
  turnId: string,
): PromptPayload => promptPayload({ prompt, turn_id: turnId, chat_session: chatSession, execution });

/**
 * Returns the earlier answer to a key, whichever program gave it. It is looked up before anything is asked of the agent,
 * which may have gone since. Null when the key is new.
 * @param typed whether prompts are typed into a terminal: a prompt that could not be typed was refused, and is refused
 *   again.
 */
export function earlier(
  records: SessionRecords,
  names: SubmissionNames,
  prompt: SubmittedPrompt,
  typed: boolean,
): Prompted | null {
  const { key } = prompt;
  if (key === null) return null;
  const own = checkKey(records.submission(key), digestOf(prompt));
  if (own === 'another_call') return otherBody;
  if (own !== 'new') {
    const turn = typed ? records.turn(own.subject) : null;
    const untaken = turn && whenUntaken(turn);
    if (untaken) return untaken;
    return { ...(JSON.parse(own.answer ?? 'null') as TakenPrompt), replayed: true };
  }
  const queued = records.queuedSubmission(key);
  if (!queued) return null;
  const asked = withMetadata(queuedPayload(prompt, names.turnId), prompt.metadata);
  const taken = withMetadata(
    JSON.parse(queued.payload_json) as PromptPayload,
    records.metadata(queued.request_id),
  );
  if (toSortedJson(taken) !== toSortedJson(asked)) return otherBody;
  const turnIndex = records.turn(names.turnId)?.turn_index ?? records.nextIndex();
  return { ...names, turnIndex, queuedAs: queued.request_id, replayed: true };
}

/**
 * Returns the refusal of a prompt that a terminal did not take, or whose outcome is unknown; null where it may count as
 * taken.
 */
export function whenUntaken(turn: TurnRow): TurnRefusal | null {
  const receipt = receiptOf(turn, true);
  if (receipt.kind === 'not_taken') return refuse('unavailable', receipt.detail);
  return receipt.kind === 'unknown' ? outcomeUnknown(receipt.detail, turn.turn_id) : null;
}

export const otherBody = refuse('key_reused', keyOfAnotherBody);

/** The key and the aim of an interrupt. */
export interface InterruptAim {
  /** The key under which the same call stops nothing again; null without one. */
  readonly key: string | null;
  /** The one turn that is to be stopped; null for whichever runs. */
  readonly ifTurn: string | null;
}

export const whicheverRuns: InterruptAim = { key: null, ifTurn: null };

/** Decides whether an interrupt that meets nothing leaves no trace. */
export const isOpen = ({ key, ifTurn }: InterruptAim): boolean => key === null && ifTurn === null;

/** The work that an interrupt met. */
export type Met =
  | { readonly met: 'nothing' }
  /** `over`: it has ended by now. `turnId` is null for work that a person began in a terminal. */
  | {
      readonly met: 'work';
      readonly turnId: string | null;
      readonly turnIndex: number | null;
      readonly over: boolean;
    };

/** `replayed`: an earlier call with the same key met it. */
export type InterruptResult = (Met & { readonly replayed?: true }) | TurnRefusal;

/** The digest of every interrupt under a key. */
export const interruptDigest = bodyDigest('interrupt');

/**
 * Returns the earlier answer to an interrupt with that key, whichever program gave it: sent again, the interrupt would
 * hit a later turn. Null when the key is new.
 */
export function earlierInterrupt(records: SessionRecords, key: string | null): InterruptResult | null {
  if (key === null) return null;
  const own = checkKey(records.submission(key), interruptDigest);
  if (own === 'another_call') return otherBody;
  if (own !== 'new') return { ...(JSON.parse(own.answer ?? 'null') as Met), replayed: true };
  const queued = records.queuedSubmission(key);
  if (!queued) return null;
  if (queued.request_kind !== 'interrupt') return otherBody;
  const { outcome = null } = JSON.parse(queued.result_json ?? '{}') as { outcome?: string };
  return outcome === 'no_op'
    ? { met: 'nothing', replayed: true }
    : { met: 'work', turnId: null, turnIndex: null, over: outcome === 'stopped', replayed: true };
}

/** Converts an answer to the form that is stored under its key before anything is stopped. */
export const keptInterrupt = (answer: Met): Omit<KeyedCall, 'at'> => ({
  digest: interruptDigest,
  subject: answer.met === 'work' ? (answer.turnId ?? '') : '',
  answer: JSON.stringify(answer),
});
