import {
  type Agent,
  createHoumaoClient,
  type HoumaoClient,
  isHoumaoError,
  type Schemas,
} from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../../launch/agent-host.js';
import type { ServerFlag } from '../../flags/server-flag.js';
import { CommandFailure } from '../../words/terminal-output.js';
import { servingServers } from '../server/serving-servers.js';

/** An agent as a managed-agent server has it. */
export interface AgentAtServer {
  /** The server's address. */
  url: string;
  client: HoumaoClient;
  agent: Agent;
  identity: Schemas['AgentIdentity'];
}

/**
 * Looks for an agent at the server that was named, else at those of this host.
 * @returns null when no server of this host has it.
 * @throws {CommandFailure} when several agents have the name, or the server that was named does not know it or gives no answer.
 */
export async function agentAtServer(
  name: string,
  { server }: ServerFlag,
  host: AgentHost,
): Promise<AgentAtServer | null> {
  for (const url of server === undefined ? await servingServers(host) : [server]) {
    const client = createHoumaoClient({ baseUrl: url });
    const agent = client.agent(name);
    try {
      return { url, client, agent, identity: await agent.getAgent() };
    } catch (error) {
      if (!isHoumaoError(error)) throw error;
      const elsewhere = server === undefined && (error.status === 404 || error.status === null);
      // Every refusal of a server that knows this path names what was asked for.
      if (error.status === 404 && error.detail === 'Not Found')
        throw new CommandFailure(`What answers at ${url} is no managed-agent server.`);
      if (!elsewhere) throw new CommandFailure(`${error.detail} (asked the server ${url})`);
    }
  }
  return null;
}

/** The same, where nothing else will do. @throws {CommandFailure} also when no server of this host has it. */
export async function requireAtServer(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AgentAtServer> {
  const found = await agentAtServer(name, flags, host);
  if (found) return found;
  throw new CommandFailure(
    `No managed-agent server of this host has an agent ${name}. Start one: houmao-mgr server start; or name one with --server`,
  );
}
