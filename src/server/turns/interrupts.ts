import { bodyDigest, checkKey, type KeyedCall } from '../../storage/idempotency-keys.js';
import type { SessionRecords } from '../sessions/session-records.js';
import { otherBody } from './submissions.js';
import type { TurnRefusal } from './turn-refusal.js';

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
