import type { components } from '../../../generated/gateway/types.js';
import type { ChatDefaults } from '../../agent/target/resolve-session.js';
import { type Axes, activityOf, admissionOf, obstacleFor } from '../../dispatch/readiness.js';
import type { SessionSelection } from '../../tools/adapter/tool-adapter.js';

export type HeadlessState = components['schemas']['HeadlessState'];

/**
 * What a headless agent can do now.
 * @param queuedTurnId the first turn id asked for by a request that waits for its turn; null while the queue is paused.
 */
export function headlessState(
  axes: Axes,
  chat: ChatDefaults,
  override: { mode: 'new' } | null,
  liveTurnId: string | null,
  queuedTurnId: string | null,
): HeadlessState {
  const { connected } = axes.agent;
  const activeTurnId = liveTurnId ?? queuedTurnId;
  const running = activityOf(axes) === 'running';
  return {
    schema_version: 1,
    runtime_resumable: connected,
    tmux_session_live: connected,
    can_accept_prompt_now: obstacleFor('agent', axes) === null && activeTurnId === null,
    interruptible: running || activeTurnId !== null,
    chat_session: {
      current: chat.pinned === null ? null : { id: chat.pinned },
      startup_default: startupDefault(chat.startup),
      next_prompt_override: override,
    },
    request_admission: admissionOf(axes),
    active_execution: activityOf(axes),
    queue_depth: axes.queueDepth,
    active_turn_id: activeTurnId,
  };
}

const startupDefault = (startup: SessionSelection): HeadlessState['chat_session']['startup_default'] =>
  startup.mode === 'exact' ? { mode: 'exact', id: startup.id } : { mode: startup.mode, id: null };
