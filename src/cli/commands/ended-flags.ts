import type { FoundAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { flagsLost } from '../../launch/gateway-differences.js';
import { commandLineOf } from '../../launch/gateway-process.js';
import { lookForGateway } from './find-agent.js';

/** What of the flags of a gateway ends with it, a line at most. @param again those with which the next one starts. */
export async function endedFlags(
  agent: Pick<FoundAgent, 'paths'>,
  host: AgentHost,
  again: readonly string[],
): Promise<string[]> {
  const sight = await lookForGateway(agent, host).catch(() => null);
  if (sight === null || sight.state === 'absent') return [];
  const lost = flagsLost(commandLineOf(sight.instance.pid), again);
  return lost.length === 0
    ? []
    : [`Not kept for the next start; give again at the next attach: ${lost.join(' ')}`];
}
