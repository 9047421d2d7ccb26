import type { Manifest } from './manifest-schema.js';

/** A running session may lose the section; its prompts are then refused by name. */
export const lacksHeadlessSection = (manifest: Manifest): boolean =>
  manifest.backend.endsWith('_headless') && !manifest.headless;

/** The name everything else of this session goes by, in order of precedence. */
export const attachIdentityOf = (manifest: Manifest, directoryName: string): string =>
  manifest.runtime.session_id ??
  manifest.agent_id ??
  manifest.agent_name ??
  manifest.tmux_session_name ??
  directoryName;

/** How a manifest says that the tool's version is unknown: the older implementation wants a text there. */
export const unknownVersion = 'unknown';

/** The version of the tool as it told it itself; null where none is known. */
export function toolVersionOf(manifest: Manifest): string | null {
  const version = manifest.launch_policy_provenance?.detected_tool_version ?? null;
  return version === unknownVersion ? null : version;
}

/** Whether turns run in the agent's tmux session or under the gateway's own supervision. */
export const turnHostOf = (manifest: Manifest): 'process' | 'tmux' =>
  manifest.backend_state['turn_host' as keyof typeof manifest.backend_state] === 'process'
    ? 'process'
    : 'tmux';

/** Whether the tool in the agent's terminal was launched with hooks. It is a key of ours in `backend_state`. */
export const hasHooks = (manifest: Manifest): boolean =>
  (manifest.backend_state as Record<string, unknown>).hooks === true;

/** How long a turn of this agent may run, in seconds; null for no limit. It is a key of ours in `backend_state`. */
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

/** The key of ours in `backend_state` that says which tmux server has the session of an agent. */
export const tmuxServerKey = 'tmux_server';

/** Where a program runs in tmux. */
export interface TmuxPlace extends TmuxServer {
  /** Ids are given once by a server: `$3`, `%5`. */
  readonly sessionId: string;
  readonly paneId: string;
}

/** The key of ours in `backend_state` that says which pane is the agent's. */
export const tmuxPaneKey = 'tmux_pane';

/** The agent's pane, as far as it is recorded. */
export interface RecordedPane {
  readonly paneId: string;
  /** Null where another program recorded it. */
  readonly sessionId: string | null;
  readonly server: Pick<TmuxServer, 'pid' | 'startedAt'> | null;
}

/** Null in a manifest that does not say it. */
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

/** Where the tmux server listens that the session was made on; null in a manifest that does not say it. */
export function tmuxSocketOf(manifest: Manifest): string | null {
  const recorded = (manifest.backend_state as Record<string, unknown>)[tmuxServerKey];
  const path: unknown = (recorded as { socket_path?: unknown } | null | undefined)?.socket_path;
  return typeof path === 'string' && path !== '' ? path : null;
}

/** The key of ours in `backend_state` that says which conversation the tool in a terminal had last. */
export const conversationKey = 'tool_conversation';

/** The conversation that the tool in a terminal had last, as it names it; null where none is known in which a prompt has been. */
export const lastConversationOf = (manifest: Manifest): string | null =>
  textOrNull((manifest.backend_state as Record<string, unknown>)[conversationKey]);

const styles = ['plain', 'json', 'fancy'] as const;
const details = ['concise', 'detail'] as const;

/** How the turns of a headless agent are shown in its pane. */
export interface HeadlessDisplay {
  style: (typeof styles)[number];
  detail: (typeof details)[number];
}

export const usualDisplay: HeadlessDisplay = { style: 'plain', detail: 'concise' };

/** Pure: what the launch asked for. What is not known is as if nothing had been. */
export function headlessDisplayOf({ launch_plan }: Pick<Manifest, 'launch_plan'>): HeadlessDisplay {
  const metadata = launch_plan.metadata as Record<string, unknown>;
  return {
    style: styles.find((style) => style === metadata.headless_display_style) ?? usualDisplay.style,
    detail: details.find((detail) => detail === metadata.headless_display_detail) ?? usualDisplay.detail,
  };
}
