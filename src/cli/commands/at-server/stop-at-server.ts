import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { callFailure } from '../../words/call-failure.js';
import { namedAs } from '../../words/named-as.js';
import type { Output } from '../../words/terminal-output.js';
import type { AgentAtServer } from './agent-at-server.js';

/** A turn has five seconds to end, and a gateway and tmux their own time. */
const stopMilliseconds = 60_000;

/** `agents stop` by a managed-agent server, which forgets the agent with it. @throws {CommandFailure} */
export async function stopAtServer(
  { url, agent, identity }: AgentAtServer,
  name: string,
  output: Output,
): Promise<void> {
  output.progress(`Stopping it through the server ${url}`);
  try {
    const { detail, turn_id } = await agent.stopAgent({ timeoutMs: stopMilliseconds });
    const { agent_name, session_root } = identity;
    const kept = session_root === null ? '' : ` Its files stay in ${session_root}`;
    output.result({ agent_name, server_url: url, turn_id, detail, session_root }, [`${detail}${kept}`]);
  } catch (error) {
    throw isHoumaoError(error) ? namedAs(callFailure(error), identity, name) : error;
  }
}
