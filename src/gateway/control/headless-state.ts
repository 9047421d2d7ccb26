import type { components } from '../../../generated/gateway/types.js';
import type { ChatDefaults } from '../../target/resolve-session.js';
import type { SessionSelection } from '../../tools/tool-adapter.js';
import type { GatewayStatus } from '../status/derive-status.js';

export type HeadlessState = components['schemas']['HeadlessState'];

/** gateway §8. @param queuedTurnId the first turn id asked for by a waiting or running request. */
export function headlessState(
  status: GatewayStatus,
  chat: ChatDefaults,
  override: { mode: 'new' } | null,
  liveTurnId: string | null,
  queuedTurnId: string | null,
): HeadlessState {
  const connected = status.managed_agent_connectivity === 'connected';
  const activeTurnId = liveTurnId ?? queuedTurnId;
  const running = status.active_execution === 'running';
  return {
    schema_version: 1,
    runtime_resumable: connected,
    tmux_session_live: connected,
    can_accept_prompt_now:
      connected &&
      status.request_admission === 'open' &&
      status.terminal_surface_eligibility !== 'not_ready' &&
      !running &&
      activeTurnId === null,
    interruptible: running || activeTurnId !== null,
    chat_session: {
      current: chat.pinned === null ? null : { id: chat.pinned },
      startup_default: startupDefault(chat.startup),
      next_prompt_override: override,
    },
    request_admission: status.request_admission,
    active_execution: status.active_execution,
    queue_depth: status.queue_depth,
    active_turn_id: activeTurnId,
  };
}

const startupDefault = (startup: SessionSelection): HeadlessState['chat_session']['startup_default'] =>
  startup.mode === 'exact' ? { mode: 'exact', id: startup.id } : { mode: startup.mode, id: null };
