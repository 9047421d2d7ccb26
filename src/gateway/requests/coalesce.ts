import type { RequestKind } from './request-row.js';

/** As much of an accepted row as coalescing looks at. */
export interface PendingRow {
  requestId: string;
  kind: RequestKind | (string & {});
  /** The prompt of a `submit_prompt` row; null when the row has none or cannot be read. */
  prompt: string | null;
  epoch: number;
}

export type ContextCommand = '/compact' | '/clear' | '/new';
export type ActionLabel = 'interrupt' | `submit_prompt:${ContextCommand}`;

/** What the block of control intents at the head of the queue becomes (docs/decisions.md#coalescing). */
export interface CoalescePlan {
  /** The request to execute next. */
  nextRequestId: string;
  /** Requests that will have an effect: the next one, and a retained context action. In lexical order. */
  effectiveRequestIds: string[];
  effectiveActions: ActionLabel[];
  /** In queue order. */
  superseded: { requestId: string; intoRequestId: string; originalAction: ActionLabel }[];
}

const strength: Readonly<Record<ContextCommand, number>> = { '/compact': 1, '/clear': 2, '/new': 3 };
const isContextCommand = (text: string): text is ContextCommand => Object.hasOwn(strength, text);

/** The control intent of a row, or null when it ends the block. Only kind and prompt matter. */
function actionOf(row: PendingRow): ActionLabel | null {
  if (row.kind === 'interrupt') return 'interrupt';
  const text = row.kind === 'submit_prompt' ? row.prompt?.trim() : undefined;
  return text !== undefined && isContextCommand(text) ? `submit_prompt:${text}` : null;
}

const strengthOf = (action: ActionLabel): number =>
  action === 'interrupt' ? 0 : strength[action.slice('submit_prompt:'.length) as ContextCommand];

/** How many of `rows` continue a block of control intents of this epoch. */
export function blockLength(rows: readonly PendingRow[], epoch: number): number {
  const end = rows.findIndex((row) => row.epoch !== epoch || actionOf(row) === null);
  return end === -1 ? rows.length : end;
}

/**
 * Plans the longest run of control intents of one epoch at the head of the queue. The first interrupt is kept and goes
 * first; of the context actions the strongest is kept, of equals the last. All others are superseded.
 * @param rows accepted rows, oldest first.
 * @returns null when the queue is empty or its head is no control intent: then the head runs as it is.
 */
export function planCoalescing(rows: readonly PendingRow[]): CoalescePlan | null {
  const block: { requestId: string; action: ActionLabel }[] = [];
  for (const row of rows.slice(0, blockLength(rows, rows[0]?.epoch ?? 0))) {
    const action = actionOf(row);
    if (action !== null) block.push({ requestId: row.requestId, action });
  }
  const interrupt = block.find(({ action }) => action === 'interrupt');
  const context = block
    .filter(({ action }) => action !== 'interrupt')
    .reduce<(typeof block)[number] | undefined>(
      (best, row) => (best && strengthOf(best.action) > strengthOf(row.action) ? best : row),
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
