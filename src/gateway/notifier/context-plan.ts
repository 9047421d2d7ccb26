import { isRefusal } from '../../agent/target/agent-target.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import { type ObstacleCode, obstacleFor } from '../../dispatch/readiness.js';
import { newTurnId } from '../../foundation/ids.js';
import type { NotifierSettings } from './notifier-settings.js';

/** A conversation that the tool itself says is damaged. */
export interface DegradedContext {
  tool: string;
  /** Such as `codex_remote_compact_server_error`. */
  errorType: string;
}

/** The handling of the conversation before the agent is notified of mail. */
export interface ContextPlan {
  compact: boolean;
  /** Whether the prompt begins a fresh conversation. */
  clear: boolean;
  degraded: DegradedContext | null;
}

/** The error types for which a fresh conversation is known to help. */
const clearable: ReadonlySet<string> = new Set([
  'codex_remote_compact_stream_disconnected',
  'codex_remote_compact_context_length_exceeded',
  'codex_remote_compact_unknown_parameter',
  'codex_remote_compact_server_error',
  'unknown',
]);

/** Decides by what the terminal shows now; null stands for an agent without a terminal. Pure. */
export function contextPlan(
  settings: Pick<NotifierSettings, 'contextErrorPolicy' | 'preNotificationContextAction'>,
  terminal: Pick<AgentTerminal, 'names' | 'state'> | null,
): ContextPlan {
  const { names, state } = terminal ?? {};
  const degraded =
    names && state?.chatContext === 'degraded'
      ? { tool: names.tool, errorType: state.chatContextDiagnostic?.degradedErrorType ?? 'unknown' }
      : null;
  return {
    compact: settings.preNotificationContextAction === 'compact',
    clear:
      settings.contextErrorPolicy === 'clear_context' &&
      degraded?.tool === 'codex' &&
      clearable.has(degraded.errorType),
    degraded,
  };
}

/** Returns what the audit row says was done, in the order in which it is done; null for nothing. */
export function contextOutcome({ compact, clear, degraded }: ContextPlan): string | null {
  const done = [
    ...(compact ? ['pre_notification_compact_completed'] : []),
    ...(clear ? ['clear_context_requested'] : degraded ? ['degraded_context_continued'] : []),
  ];
  return done.length > 0 ? done.join(',') : null;
}

export type CompactParts = Pick<DispatchParts, 'target' | 'turns' | 'tool' | 'axes' | 'clock'>;

/** The time for the terminal to take a prompt again after a compaction. */
const readyMilliseconds = 15_000;
const pauseMilliseconds = 200;

/** The obstacles that say nothing of the terminal. */
const ofOthers: ReadonlySet<ObstacleCode> = new Set(['paused', 'busy', 'queued']);

const nothing = (): void => undefined;

/**
 * The outcome of a compaction:
 * `done`: the conversation is compacted, and the terminal is ready, or something else keeps the prompt back;
 * `unready`: it is compacted, and the terminal takes no prompt since;
 * `not_begun`: the agent was not free for it any more, or the gateway stops;
 * `failed`: the tool did not compact it.
 */
type Compaction =
  | { end: 'done' }
  | { end: 'not_begun' }
  /** `detail` is a sentence for people. */
  | { end: 'unready' | 'failed'; detail: string };

/**
 * Makes the tool compact its conversation, as a turn of its own that is on record.
 * @param enough ends the waiting for the terminal.
 */
export async function compactConversation(parts: CompactParts, enough: AbortSignal): Promise<Compaction> {
  const { target, turns, tool } = parts;
  const resolved = target.resolve({ chatSession: null, execution: null }, { override: null, forced: false });
  if (isRefusal(resolved)) return { end: 'failed', detail: resolved.detail };
  const order = { ...resolved, turnId: newTurnId(), prompt: '/compact', requestId: null, tool } as const;
  const begun = await turns.begin({ ...order, origin: 'notifier' }, { claimed: () => true, ended: nothing });
  const verdict = begun && (await begun.over);
  // It was not begun, or was left to the next gateway.
  if (verdict === null) return { end: 'not_begun' };
  if (verdict.outcome !== 'completed')
    return { end: 'failed', detail: verdict.error?.detail ?? `It ended ${verdict.outcome}.` };
  const obstacle = await untilReady(parts, enough);
  return obstacle === null ? { end: 'done' } : { end: 'unready', detail: obstacle };
}

/**
 * @returns why the terminal takes no prompt, after `readyMilliseconds`; null when it does, or when something else keeps
 *   the prompt back.
 */
async function untilReady({ axes, clock }: CompactParts, enough: AbortSignal): Promise<string | null> {
  const until = clock.monotonic() + readyMilliseconds;
  for (;;) {
    const obstacle = obstacleFor('notifier', await axes.observe());
    if (enough.aborted || obstacle === null || ofOthers.has(obstacle.code)) return null;
    if (clock.monotonic() >= until) return obstacle.detail;
    await clock.sleep(pauseMilliseconds, enough);
  }
}
