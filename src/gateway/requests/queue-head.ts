import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { parseObject } from '../../dispatch/queue/request-record.js';
import type { RequestRow } from '../../dispatch/queue/request-row.js';
import type { RequestTable } from '../../dispatch/queue/request-table.js';
import type { Journal } from '../../events/journal.js';
import { blockLength, type CoalescePlan, type PendingRow, planCoalescing } from './coalesce.js';

const batchSize = 100;

/** The oldest accepted row, and the plan for the control intents it leads. */
export function readQueueHead(rows: RequestTable): { head: RequestRow | null; plan: CoalescePlan | null } {
  const [head] = rows.oldestAccepted(0, 1);
  if (!head) return { head: null, plan: null };
  const epoch = head.managed_agent_instance_epoch;
  const block: PendingRow[] = [];
  for (let batch = [head]; ; batch = rows.oldestAccepted(batch.at(-1)?.rowid ?? 0, batchSize)) {
    const pending = batch.map(toPending);
    block.push(...pending);
    // A row that does not belong to the block ends it, and so does the end of the queue.
    if (batch.length === 0 || blockLength(pending, epoch) < batch.length)
      return { head, plan: planCoalescing(block) };
  }
}

/** Marks the rows that a plan supersedes; they and the start of the next one are one transaction. */
export function supersede(queue: RequestJournal, journal: Journal, atUtc: string, plan: CoalescePlan): void {
  if (plan.superseded.length === 0) return;
  for (const { requestId, intoRequestId, originalAction } of plan.superseded) {
    queue.finish(atUtc, {
      requestId,
      state: 'coalesced',
      error: null,
      result: {
        coalesced_at_utc: atUtc,
        coalesced_into_request_id: intoRequestId,
        coalesced_reason: 'superseded_control_intent',
        effective_actions: plan.effectiveActions,
        original_action: originalAction,
      },
    });
  }
  journal.event(atUtc, {
    kind: 'coalesced',
    subjectId: plan.nextRequestId,
    data: {
      coalesced_at_utc: atUtc,
      coalesced_request_ids: plan.superseded.map(({ requestId }) => requestId),
      effective_request_ids: plan.effectiveRequestIds,
      effective_actions: plan.effectiveActions,
      next_request_id: plan.nextRequestId,
    },
  });
}

function toPending(row: RequestRow): PendingRow {
  const prompt = row.request_kind === 'submit_prompt' ? parseObject(row.payload_json).prompt : null;
  return {
    requestId: row.request_id,
    kind: row.request_kind,
    prompt: typeof prompt === 'string' ? prompt : null,
    epoch: row.managed_agent_instance_epoch,
  };
}
