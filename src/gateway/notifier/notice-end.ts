import type { RequestRow } from '../../dispatch/queue/request-row.js';
import type { TurnRow } from '../../turn/turn-table.js';

/**
 * What came of a prompt that tells of mail:
 * `told`: the agent got it, or nobody can say that it did not;
 * `withdrawn`: somebody cancelled it, and with it the wake for that mail;
 * `dropped`: it went nowhere, and that was right: its mail was gone, or it was for an earlier instance of the agent;
 * `failed`: it should have gone out and did not.
 */
export type NoticeEnd = 'under_way' | 'told' | 'withdrawn' | 'dropped' | 'failed';

/** Pure. @param request null where it is not kept any more. @param turn null where none was begun. */
export function noticeEnd(
  request: Pick<RequestRow, 'state' | 'error_code'> | null,
  turn: Pick<TurnRow, 'delivery_state'> | null,
): NoticeEnd {
  if (request === null || turn?.delivery_state === 'confirmed') return 'told';
  switch (request.state) {
    case 'accepted':
    case 'running':
      return 'under_way';
    case 'completed':
      return turn === null ? 'dropped' : 'told';
    case 'failed':
      return turn === null || turn.delivery_state === 'failed' ? 'failed' : 'told';
    case 'cancelled':
      return request.error_code === 'discarded' ? 'dropped' : 'withdrawn';
    case 'coalesced':
      return 'dropped';
  }
}
