import { createHoumaoClient, isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../../launch/agent-host.js';
import { callFailure } from '../../words/call-failure.js';
import { CommandFailure } from '../../words/command-failure.js';
import { servingServers } from '../server/serving-servers.js';
import { notAServer } from './agent-at-server.js';

/** An agent, and the address of the server that has it. */
export interface AgentOfServer {
  readonly url: string;
  readonly identity: Schemas['AgentIdentity'];
}

/** @throws {CommandFailure} when the server does not tell them. */
export async function agentsAt(url: string): Promise<AgentOfServer[]> {
  try {
    const { agents } = await createHoumaoClient({ baseUrl: url }).listAgents();
    return agents.map((identity) => ({ url, identity }));
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    throw (
      notAServer(error, url) ??
      callFailure(error, `Cannot list the agents of the server ${url}: ${error.detail}`)
    );
  }
}

/** The agents of all servers of this host; one that ends just then has none. */
export async function agentsAtServers(host: Pick<AgentHost, 'runtimeRoot'>): Promise<AgentOfServer[]> {
  const urls = await servingServers(host);
  const lists = await Promise.all(
    urls.map((url) =>
      agentsAt(url).catch((error: unknown) => {
        if (error instanceof CommandFailure) return [];
        throw error;
      }),
    ),
  );
  return lists.flat();
}
