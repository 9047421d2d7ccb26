import { createHash } from 'node:crypto';
import type { SessionRecords } from '../sessions/session-records.js';
import type { StoredSubmission } from '../sessions/submission-table.js';
import type { Interrupted, Met } from './interrupted.js';
import { otherBody } from './submissions.js';

const digest = createHash('sha256').update('interrupt').digest('hex');

/**
 * What an interrupt with that key was answered before, whichever program took it: given again it would hit a later turn. Null
 * when the key is new.
 */
export function earlierInterrupt(records: SessionRecords, key: string | null): Interrupted | null {
  if (key === null) return null;
  const own = records.submission(key);
  if (own)
    return own.body_digest === digest
      ? { ...(JSON.parse(own.answer_json) as Met), replayed: true }
      : otherBody;
  const queued = records.queuedSubmission(key);
  if (!queued) return null;
  if (queued.request_kind !== 'interrupt') return otherBody;
  const { outcome = null } = JSON.parse(queued.result_json ?? '{}') as { outcome?: string };
  return outcome === 'no_op'
    ? { met: 'nothing', replayed: true }
    : { met: 'work', turnId: null, turnIndex: null, over: outcome === 'stopped', replayed: true };
}

/** The same, to be kept under its key before anything is stopped. */
export const keptInterrupt = (answer: Met): StoredSubmission => ({
  body_digest: digest,
  turn_id: answer.met === 'work' ? (answer.turnId ?? '') : '',
  answer_json: JSON.stringify(answer),
});
