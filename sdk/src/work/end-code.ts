/** How a request or a turn ended that names no reason; `unknown_state`: this version cannot tell whether it is an end. */
export type EndCode =
  | 'completed'
  | 'failed'
  | 'coalesced'
  | 'cancelled'
  | 'interrupted'
  | 'replaced'
  | 'ended'
  | 'unknown_state';
