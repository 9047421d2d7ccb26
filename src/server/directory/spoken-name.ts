import { unprefixedName } from '../../launch/agent-name.js';
import type { ManagedAgent } from './managed-agent.js';

/** What an agent is called in sentences: by its name as people gave it, and by its id only where it has none. */
export const spokenName = ({
  agentName,
  trackedAgentId,
}: Pick<ManagedAgent, 'agentName' | 'trackedAgentId'>): string =>
  agentName === null ? trackedAgentId : unprefixedName(agentName);
