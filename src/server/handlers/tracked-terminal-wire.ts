import type { components } from '../../../generated/managed-agent/types.js';
import { wireTerminal } from '../../terminal/wire/terminal-wire.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { TerminalTold } from '../inspection/terminal-facts.js';

type Wire = components['schemas'];

/** What an agent's terminal is called; the same whether a gateway tracks it or this server. */
export const terminalIdOf = ({ terminalId, trackedAgentId }: ManagedAgent): string =>
  terminalId ?? trackedAgentId;

/** A terminal in the words of the contract. */
export function wireTracked(agent: ManagedAgent, told: TerminalTold): Wire['TerminalState'] {
  const version = told.by === 'gateway' ? told.body.tracked_session.observed_tool_version : told.toolVersion;
  const observed = told.by === 'gateway' ? told.body : wireTerminal(told.state);
  return { ...observed, terminal_id: terminalIdOf(agent), tracked_session: trackedSession(agent, version) };
}

const trackedSession = (agent: ManagedAgent, version: string | null): Wire['TrackedSession'] => ({
  tracked_session_id: agent.trackedAgentId,
  session_name: agent.sessionName ?? agent.trackedAgentId,
  tool: agent.tool,
  observed_tool_version: version,
  tmux_session_name: agent.tmuxSessionName ?? agent.trackedAgentId,
  tmux_window_name: agent.tmuxWindowName,
  terminal_aliases: agent.terminalId === null ? [] : [agent.terminalId],
  agent_name: agent.agentName,
  agent_id: agent.agentId,
  manifest_path: agent.manifestPath,
  session_root: agent.sessionRoot,
});
