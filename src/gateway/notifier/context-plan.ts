import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { NotifierSettings } from './notifier-settings.js';

/** A conversation that the tool itself says is damaged. */
export interface DegradedContext {
  tool: string;
  /** Such as `codex_remote_compact_server_error`. */
  errorType: string;
}

/** What is done with the conversation before the agent is told of mail. */
export interface ContextPlan {
  compact: boolean;
  /** The prompt begins a fresh conversation. */
  clear: boolean;
  degraded: DegradedContext | null;
}

/** Those of which it is known that a fresh conversation helps. */
const clearable: ReadonlySet<string> = new Set([
  'codex_remote_compact_stream_disconnected',
  'codex_remote_compact_context_length_exceeded',
  'codex_remote_compact_unknown_parameter',
  'codex_remote_compact_server_error',
  'unknown',
]);

/** Pure, of what the terminal shows now; null stands for an agent without one. */
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

/** What the audit row says was done, in the order in which it is done; null for nothing. */
export function contextOutcome({ compact, clear, degraded }: ContextPlan): string | null {
  const done = [
    ...(compact ? ['pre_notification_compact_completed'] : []),
    ...(clear ? ['clear_context_requested'] : degraded ? ['degraded_context_continued'] : []),
  ];
  return done.length > 0 ? done.join(',') : null;
}
