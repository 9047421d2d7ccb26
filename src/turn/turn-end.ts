import type { Journal } from '../events/journal.js';
import type { TurnSigns } from '../run/turn-signs.js';
import { endTime } from './end-time.js';
import type { TurnTable } from './turn-table.js';
import type { Verdict } from './verdict.js';

/** How a turn ended, as far as it goes into its record. */
export interface TurnEnding
  extends Pick<
    TurnSigns,
    | 'exitCode'
    | 'signal'
    | 'endedAt'
    | 'sessionId'
    | 'answer'
    | 'usage'
    | 'deliveryUnknown'
    | 'notTaken'
    | 'stranded'
  > {
  verdict: Verdict;
}

/**
 * Writes how a turn ended: what is known of its delivery, its outcome and its events. Only inside `Journal.write`.
 * @returns false when it had ended before; nothing was written then.
 */
export function writeTurnEnd(
  { table, journal }: { table: TurnTable; journal: Journal },
  atUtc: string,
  turnId: string,
  { verdict, ...ending }: TurnEnding,
): boolean {
  const row = table.find(turnId);
  if (row?.state !== 'running') return false;
  const { request_id } = row;
  const unknown = ending.deliveryUnknown;
  const failed = ending.notTaken || (row.delivery_state === 'claimed' && unknown === null);
  if (failed && row.delivery_state !== 'confirmed')
    table.deliver(turnId, 'failed', atUtc, verdict.error?.detail ?? null);
  else if (row.delivery_state === 'claimed' || row.delivery_state === 'handed_over')
    table.deliver(
      turnId,
      'unconfirmed',
      atUtc,
      unknown ?? 'the agent ended without showing that it took the prompt',
    );
  table.end({
    turnId,
    endedAtUtc: endTime(row.started_at_utc, ending.endedAt, atUtc),
    outcome: verdict.outcome,
    providerSessionId: ending.sessionId,
    exitCode: ending.exitCode,
    signal: ending.signal,
    errorCode: verdict.error?.code ?? null,
    errorDetail: verdict.error?.detail ?? null,
    answerText: ending.answer?.text ?? null,
    answerTruncated: ending.answer?.truncated ?? false,
  });
  if (ending.usage) table.noteUsage(turnId, ending.usage);
  journal.event(atUtc, {
    kind: 'turn_ended',
    subjectId: turnId,
    data: {
      turn_id: turnId,
      request_id,
      outcome: verdict.outcome,
      error_code: verdict.error?.code ?? null,
      at_utc: atUtc,
    },
  });
  const plan = table.plan(turnId);
  if (verdict.error?.code === 'provider_session_lost' && plan) {
    journal.event(atUtc, {
      kind: 'provider_session_lost',
      subjectId: turnId,
      data: { turn_id: turnId, request_id, session: plan.session, at_utc: atUtc },
    });
  }
  table.dropPlan(turnId);
  // One that may still appear has to be known then, whichever gateway runs.
  if (!ending.stranded) table.dropPasted(turnId);
  return true;
}
