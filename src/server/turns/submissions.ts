import { createHash, randomBytes } from 'node:crypto';
import type { PromptSettings } from '../../agent/target/agent-target.js';
import { keyOfAnotherBody, logNamePrefix } from '../../contract/refusals.js';
import { receiptOf } from '../../dispatch/direct-prompt.js';
import { type PromptPayload, promptPayload } from '../../dispatch/queue/request-rows.js';
import { newTurnId } from '../../foundation/ids.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { bodyDigest, checkKey } from '../../storage/idempotency-keys.js';
import type { TurnRow } from '../../turn/turn-table.js';
import type { SessionRecords } from '../sessions/session-records.js';
import { outcomeUnknown, type PromptWay, refuse, type TurnRefusal } from './turn-refusal.js';

/** A prompt for an agent, as it came. */
export interface SubmittedPrompt extends PromptSettings {
  readonly way: PromptWay;
  /** Trimmed. */
  readonly prompt: string;
  /** The `Idempotency-Key`. */
  readonly key: string | null;
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

export const digestOf = ({ way, prompt, chatSession, execution }: SubmittedPrompt): string =>
  bodyDigest({ way, prompt, chatSession, execution });

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
  if (toSortedJson(JSON.parse(queued.payload_json)) !== toSortedJson(queuedPayload(prompt, names.turnId)))
    return otherBody;
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
