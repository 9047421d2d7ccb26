import type { Manifest } from './manifest-schema.js';

/**
 * Decides whether a headless session lacks its headless section. A running session may lose it; its prompts are then refused
 * with that reason.
 */
export const lacksHeadlessSection = (manifest: Manifest): boolean =>
  manifest.backend.endsWith('_headless') && !manifest.headless;

/** Returns the name of this session that all other files use, in order of precedence. */
export const attachIdentityOf = (manifest: Manifest, directoryName: string): string =>
  manifest.runtime.session_id ??
  manifest.agent_id ??
  manifest.agent_name ??
  manifest.tmux_session_name ??
  directoryName;

/** The text in a manifest for an unknown version of the tool: the older implementation requires a text there. */
export const unknownVersion = 'unknown';

/** Returns the version of the tool as the tool itself reported it; null when it is unknown. */
export function toolVersionOf(manifest: Manifest): string | null {
  const version = manifest.launch_policy_provenance?.detected_tool_version ?? null;
  return version === unknownVersion ? null : version;
}

/** Decides whether turns run in the agent's tmux session or under the gateway's own supervision. */
export const turnHostOf = (manifest: Manifest): 'process' | 'tmux' =>
  manifest.backend_state['turn_host' as keyof typeof manifest.backend_state] === 'process'
    ? 'process'
    : 'tmux';

/** Returns whether the tool in the agent's terminal was launched with hooks. The key in `backend_state` is ours. */
export const hasHooks = (manifest: Manifest): boolean =>
  (manifest.backend_state as Record<string, unknown>).hooks === true;

/** Returns the longest time a turn of this agent may run, in seconds; null for no limit. The key in `backend_state` is ours. */
export function turnTimeLimitOf(manifest: Manifest): number | null {
  const limit: unknown = (manifest.backend_state as Record<string, unknown>).turn_time_limit_seconds;
  return typeof limit === 'number' && Number.isFinite(limit) && limit > 0 ? limit : null;
}

/** A tmux server, as it is recorded. */
export interface TmuxServer {
  readonly socketPath: string;
  readonly pid: number;
  /** In whole seconds since 1970. */
  readonly startedAt: number;
}

/** Our key in `backend_state` for the tmux server that has the session of an agent. */
export const tmuxServerKey = 'tmux_server';

/** The place of a program in tmux. */
export interface TmuxPaneLocation extends TmuxServer {
  /** A tmux server gives each id (`$3`, `%5`) only once. */
  readonly sessionId: string;
  readonly paneId: string;
}

/** Our key in `backend_state` for the pane of the agent. */
export const tmuxPaneKey = 'tmux_pane';

/** The agent's pane, as far as it is recorded. */
export interface RecordedPane {
  readonly paneId: string;
  /** Null when another program recorded the pane. */
  readonly sessionId: string | null;
  readonly server: Pick<TmuxServer, 'pid' | 'startedAt'> | null;
}

/** Reads the recorded pane; null when the manifest has none. */
export function recordedPane(manifest: Manifest): RecordedPane | null {
  const state = manifest.backend_state as Record<string, unknown>;
  const ours = (state[tmuxPaneKey] ?? {}) as { pane_id?: unknown; session_id?: unknown };
  const server = (state[tmuxServerKey] ?? {}) as { pid?: unknown; started_at?: unknown };
  const { pid, started_at: startedAt } = server;
  if (typeof ours.pane_id === 'string' && typeof pid === 'number' && typeof startedAt === 'number')
    return { paneId: ours.pane_id, sessionId: textOrNull(ours.session_id), server: { pid, startedAt } };
  const others = textOrNull(manifest.tmux?.primary_pane_id);
  return others === null ? null : { paneId: others, sessionId: null, server: null };
}

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Returns the socket path of the tmux server on which the session was made; null when the manifest has none. */
export function tmuxSocketOf(manifest: Manifest): string | null {
  const recorded = (manifest.backend_state as Record<string, unknown>)[tmuxServerKey];
  const path: unknown = (recorded as { socket_path?: unknown } | null | undefined)?.socket_path;
  return typeof path === 'string' && path !== '' ? path : null;
}

/** Our key in `backend_state` for the last conversation of the tool in a terminal. */
export const conversationKey = 'tool_conversation';

/**
 * Returns the last conversation of the tool in a terminal, by the tool's own name for it; null when no conversation with a
 * prompt in it is known.
 */
export const lastConversationOf = (manifest: Manifest): string | null =>
  textOrNull((manifest.backend_state as Record<string, unknown>)[conversationKey]);

const styles = ['plain', 'json', 'fancy'] as const;
const details = ['concise', 'detail'] as const;

/** The way the turns of a headless agent are shown in its pane. */
export interface HeadlessDisplay {
  style: (typeof styles)[number];
  detail: (typeof details)[number];
}

export const usualDisplay: HeadlessDisplay = { style: 'plain', detail: 'concise' };

/** Pure: returns the display that the launch asked for. An unknown value counts as none. */
export function headlessDisplayOf({ launch_plan }: Pick<Manifest, 'launch_plan'>): HeadlessDisplay {
  const metadata = launch_plan.metadata as Record<string, unknown>;
  return {
    style: styles.find((style) => style === metadata.headless_display_style) ?? usualDisplay.style,
    detail: details.find((detail) => detail === metadata.headless_display_detail) ?? usualDisplay.detail,
  };
}
