import type { components } from '../../../generated/gateway/types.js';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { TerminalSnapshot } from '../../terminal/tracker/terminal-snapshot.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import { wireSnapshot, wireTerminal } from '../../terminal/wire/terminal-wire.js';
import type { Gateway } from '../gateway.js';

type Wire = components['schemas'];

/** A terminal as the contract tells of it. */
export const wireState = (session: Wire['TrackedSession'], state: TerminalState): Wire['TerminalState'] => ({
  terminal_id: session.tracked_session_id,
  tracked_session: session,
  ...wireTerminal(state),
});

export const wireHistory = (
  { names: { sessionId } }: AgentTerminal,
  entries: readonly TerminalSnapshot[],
): Wire['TerminalHistory'] => ({
  terminal_id: sessionId,
  tracked_session_id: sessionId,
  entries: entries.map(wireSnapshot),
});

export function trackedSession(
  { manifest, paths }: Gateway,
  { names, toolVersion }: AgentTerminal,
): Wire['TrackedSession'] {
  return {
    tracked_session_id: names.sessionId,
    session_name: names.sessionId,
    tool: names.tool,
    observed_tool_version: toolVersion,
    tmux_session_name: names.tmuxSession,
    tmux_window_name: manifest.tmux?.primary_window_name ?? null,
    terminal_aliases: [],
    agent_name: manifest.agent_name ?? null,
    agent_id: manifest.agent_id ?? null,
    manifest_path: paths.manifest,
    session_root: paths.root,
  };
}
