/**
 * The way a request or a turn ended, if it names no reason; `unknown_state`: this version does not know whether the state is an
 * end.
 */
export type EndCode =
  | 'completed'
  | 'failed'
  | 'coalesced'
  | 'cancelled'
  | 'interrupted'
  | 'replaced'
  | 'ended'
  | 'unknown_state';
