import type { HeadlessHandlers } from '../../../generated/gateway/server/headless-handlers.js';
import type { HealthHandlers } from '../../../generated/gateway/server/health-handlers.js';
import type { MetricsHandlers } from '../../../generated/gateway/server/metrics-handlers.js';
import type { StatusHandlers } from '../../../generated/gateway/server/status-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import { noHeadlessSection } from '../../agent/local/agent-place.js';
import { type ChatDefaults, chatDefaultsOf } from '../../agent/target/chat-session.js';
import { type Axes, activityOf, admissionOf, obstacleFor } from '../../dispatch/readiness.js';
import { version } from '../../foundation/version.js';
import { logKeepingOf } from '../../session/keeping.js';
import { readManifest } from '../../session/manifest.js';
import { lacksHeadlessSection } from '../../session/manifest-facts.js';
import type { SessionSelection } from '../../tools/adapter/tool-adapter.js';
import { adapterForBackend } from '../../tools/tool-registry.js';
import type { Gateway } from '../gateway.js';

export const statusHandlers = (
  gateway: Pick<Gateway, 'board' | 'keeping'>,
): HealthHandlers & StatusHandlers => ({
  getHealth: (_context, reply) => reply(200, { protocol_version: 'v1', status: 'ok' }),
  getStatus: async (_context, reply) => reply(200, await gateway.board.currentStatus()),
  getAbout: (_context, reply) => {
    const { maxBytes: log_bytes, files: log_files, days: log_days } = logKeepingOf(gateway.keeping);
    const { retain_days } = gateway.keeping;
    return reply(200, { version, keeping: { retain_days, log_bytes, log_files, log_days } });
  },
});

export const metricsHandlers = (gateway: Pick<Gateway, 'metrics' | 'usage'>): MetricsHandlers => ({
  getMetrics: async (_context, reply) => reply(200, await gateway.metrics.text()),
  getUsage: ({ query }, reply) => {
    const report = gateway.usage(query);
    return 'detail' in report ? reply(422, report) : reply(200, { schema_version: 1, ...report });
  },
});

type Headless = Pick<Gateway, 'axes' | 'manifest' | 'override' | 'paths' | 'queue' | 'reader' | 'turns'>;

export const headlessHandlers = (gateway: Headless): HeadlessHandlers => ({
  getHeadlessState: async (_context, reply) => {
    const refusal = refusalOf(gateway);
    if (refusal) return reply(422, { detail: refusal });
    const state = await stateOf(gateway);
    return 'fault' in state ? reply(state.fault, { detail: state.detail }) : reply(200, state);
  },

  setNextPromptSession: async (_context, reply) => {
    const refusal = refusalOf(gateway);
    if (refusal) return reply(422, { detail: refusal });
    const state = await stateOf(gateway);
    if ('fault' in state) return reply(state.fault, { detail: state.detail });
    gateway.override.set();
    return reply(200, {
      ...state,
      chat_session: { ...state.chat_session, next_prompt_override: gateway.override.pending },
    });
  },
});

const refusalOf = (gateway: Pick<Gateway, 'manifest'>): string | null =>
  adapterForBackend(gateway.manifest.backend)
    ? null
    : `Headless control is not available for backend ${gateway.manifest.backend}.`;

/** Returns the headless state; reads the manifest again each time. */
async function stateOf(
  gateway: Omit<Headless, 'manifest'>,
): Promise<HeadlessState | { fault: 422 | 503; detail: string }> {
  await gateway.turns.freedByEnd();
  const axes = await gateway.axes.current();
  try {
    const manifest = readManifest(gateway.paths.manifest);
    if (lacksHeadlessSection(manifest)) return { fault: 422, detail: noHeadlessSection };
    const chat = chatDefaultsOf(manifest);
    return headlessState(
      axes,
      chat,
      gateway.override.pending,
      gateway.turns.liveTurnId,
      gateway.queue.paused ? null : gateway.reader.firstQueuedTurnId(),
    );
  } catch {
    return { fault: 503, detail: 'The session manifest cannot be read.' };
  }
}

type HeadlessState = components['schemas']['HeadlessState'];

/**
 * Returns what a headless agent can do now.
 * @param queuedTurnId the first turn id that a waiting request names; null while the queue is paused.
 */
function headlessState(
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
