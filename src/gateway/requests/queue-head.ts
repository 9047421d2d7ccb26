import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { parseObject } from '../../dispatch/queue/request-records.js';
import type { RequestKind, RequestRow } from '../../dispatch/queue/request-rows.js';
import type { RequestTable } from '../../dispatch/queue/request-table.js';
import type { Journal } from '../../events/journal.js';

/** The part of an accepted row that coalescing reads. */
export interface PendingRow {
  requestId: string;
  kind: RequestKind | (string & {});
  /** The prompt of a `submit_prompt` row; null when the row has none or cannot be read. */
  prompt: string | null;
  epoch: number;
}

type ContextCommand = '/compact' | '/clear' | '/new';
type ActionLabel = 'interrupt' | `submit_prompt:${ContextCommand}`;

/** The result for the block of control intents at the head of the queue (docs/decisions.md#coalescing). */
export interface CoalescePlan {
  /** The request to execute next. */
  nextRequestId: string;
  /** Requests that will have an effect: the next one, and a retained context action. In lexical order. */
  effectiveRequestIds: string[];
  effectiveActions: ActionLabel[];
  /** In queue order. */
  superseded: { requestId: string; intoRequestId: string; originalAction: ActionLabel }[];
}

/** The strength of each action. An interrupt is never compared; its entry only makes it an action. */
const strength: Readonly<Record<ActionLabel, number>> = {
  interrupt: 0,
  'submit_prompt:/compact': 1,
  'submit_prompt:/clear': 2,
  'submit_prompt:/new': 3,
};
const isAction = (text: string): text is ActionLabel => Object.hasOwn(strength, text);

/** Returns the control intent of a row, or null when the row ends the block. Only kind and prompt matter. */
function actionOf({ kind, prompt }: PendingRow): ActionLabel | null {
  if (kind === 'interrupt') return 'interrupt';
  const text = `${kind}:${prompt?.trim()}`;
  return isAction(text) ? text : null;
}

interface Intent {
  requestId: string;
  action: ActionLabel;
}

/** Returns the rows that continue a block of control intents of this epoch. */
function blockOf(rows: readonly PendingRow[], epoch: number | undefined): Intent[] {
  const block: Intent[] = [];
  for (const row of rows) {
    const action = actionOf(row);
    if (action === null || row.epoch !== epoch) break;
    block.push({ requestId: row.requestId, action });
  }
  return block;
}

/** Returns how many of `rows` continue a block of control intents of this epoch. */
export const blockLength = (rows: readonly PendingRow[], epoch: number): number =>
  blockOf(rows, epoch).length;

/**
 * Plans the longest run of control intents of one epoch at the head of the queue. The first interrupt is kept and goes
 * first; of the context actions the strongest is kept, of equally strong ones the last. All others are superseded.
 * @param rows accepted rows, oldest first.
 * @returns null when the queue is empty or its head is no control intent: then the head runs unchanged.
 */
export function planCoalescing(rows: readonly PendingRow[]): CoalescePlan | null {
  const block = blockOf(rows, rows[0]?.epoch);
  const interrupt = block.find(({ action }) => action === 'interrupt');
  const context = block
    .filter(({ action }) => action !== 'interrupt')
    .reduce<Intent | undefined>(
      (best, row) => (best && strength[best.action] > strength[row.action] ? best : row),
      undefined,
    );
  const next = interrupt ?? context;
  if (!next) return null;
  const kept = [interrupt, context].filter((row) => row !== undefined);
  return {
    nextRequestId: next.requestId,
    effectiveRequestIds: kept.map(({ requestId }) => requestId).sort(),
    effectiveActions: kept.map(({ action }) => action),
    superseded: block
      .filter((row) => !kept.includes(row))
      .map((row) => ({
        requestId: row.requestId,
        originalAction: row.action,
        intoRequestId: (row.action === 'interrupt' ? interrupt : context)?.requestId ?? next.requestId,
      })),
  };
}

const batchSize = 100;

/** Reads the oldest accepted row, and the plan for the control intents it leads; the plan of an ordinary prompt is null. */
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

/** Marks the rows that a plan supersedes, in the same transaction as the start of the next request. */
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
