import { unprefixedName } from '../../launch/agent-name.js';
import type { ManagedAgent } from './managed-agent.js';

/** The name of an agent in sentences: the one that people gave it, or its id where it has none. */
export const spokenName = ({
  agentName,
  trackedAgentId,
}: Pick<ManagedAgent, 'agentName' | 'trackedAgentId'>): string =>
  agentName === null ? trackedAgentId : unprefixedName(agentName);
