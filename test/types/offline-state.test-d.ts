// Compiled, never run: the state that is written while no gateway runs is that of the contract, short of where it is.

import type { components } from '../../generated/gateway/types.js';
import type { OfflineState } from '../../src/session/offline-state.js';

type Live = components['schemas']['GatewayStatus'];
type Place =
  | 'gateway_host'
  | 'gateway_port'
  | 'gateway_tmux_window_id'
  | 'gateway_tmux_window_index'
  | 'gateway_tmux_pane_id';
type Exactly<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

declare const offline: OfflineState;
// Each of its values is one that a status can have.
export const status: Omit<Live, Place> = offline;
// No field is missing, and none is its own.
export const sameFields: Exactly<keyof OfflineState, Exclude<keyof Live, Place>> = true;
