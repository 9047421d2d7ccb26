import type { components } from '../../../generated/managed-agent/types.js';
import type { ManagedAgent } from '../directory/managed-agent.js';

/** Who an agent is, in the words of the contract. */
export const toIdentity = (agent: ManagedAgent): components['schemas']['AgentIdentity'] => ({
  tracked_agent_id: agent.trackedAgentId,
  transport: agent.transport,
  tool: agent.tool,
  session_name: agent.sessionName,
  terminal_id: agent.terminalId,
  runtime_session_id: agent.runtimeSessionId,
  tmux_session_name: agent.tmuxSessionName,
  tmux_window_name: agent.tmuxWindowName,
  manifest_path: agent.manifestPath,
  session_root: agent.sessionRoot,
  agent_name: agent.agentName,
  agent_id: agent.agentId,
});
