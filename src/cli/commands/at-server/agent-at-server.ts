import {
  type Agent,
  type AgentGateway,
  type HoumaoClient,
  type HoumaoError,
  isHoumaoError,
  type Schemas,
} from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../../launch/agent-host.js';
import { attachedGateway } from '../../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../../flags/options.js';
import { callFailure } from '../../words/call-failure.js';
import { CommandFailure, exitCodes, type Remedy } from '../../words/command-failure.js';
import { clientAt, servingServers } from '../server/see-servers.js';

/** An agent as a managed-agent server knows it. */
export interface AgentAtServer {
  /** The server's address. */
  url: string;
  client: HoumaoClient;
  agent: Agent;
  identity: Schemas['AgentIdentity'];
}

/**
 * Looks for an agent at the named server, or else at those of this host.
 * @returns null when no server of this host has it.
 * @throws {CommandFailure} when several agents have the name, or the named server does not know it or gives no answer.
 */
export async function agentAtServer(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AgentAtServer | null> {
  const { server } = flags;
  for (const url of server === undefined ? await servingServers(host) : [server]) {
    const client = clientAt(url, flags);
    const agent = client.agent(name);
    try {
      return { url, client, agent, identity: await agent.getAgent() };
    } catch (error) {
      if (!isHoumaoError(error)) throw error;
      const elsewhere = server === undefined && (error.status === 404 || error.status === null);
      const misled = notAServer(error, url);
      if (misled) throw misled;
      const asked = error.detail.includes(url) ? '' : ` (asked the server ${url})`;
      const servers: Remedy[] | undefined =
        error.status === null ? [['list the servers of this host', 'houmao-mgr server status']] : undefined;
      if (!elsewhere) throw callFailure(error, `${error.detail}${asked}`, servers);
    }
  }
  return null;
}

/** Returns the client of the agent's gateway. @throws {CommandFailure} when none is attached. */
export async function requireGateway(found: AgentAtServer, name: string): Promise<AgentGateway> {
  const gateway = await attachedGateway(found.agent);
  if (gateway === null) throw noGatewayAtServer(name, serverFlagWords({ server: found.url }));
  return gateway;
}

/** The failure for a server that found no gateway of the agent, with the command that starts one. */
export const noGatewayAtServer = (name: string, server: string): CommandFailure =>
  new CommandFailure(`No gateway answers for ${name}.`, exitCodes.unreachable, {
    errorCode: 'no_gateway',
    remedies: [['start one', `houmao-mgr agents gateway attach ${name}${server}`]],
  });

/** Returns the call that reads the agent's screen; null for an agent without one. */
export function terminalAtServer({
  client,
  identity: { terminal_id },
}: Pick<AgentAtServer, 'client' | 'identity'>): (() => Promise<Schemas['TerminalState']>) | null {
  return terminal_id === null ? null : () => client.getTerminalState({ path: { terminal_id } });
}

/** Returns the failure when a different program answers at the address; null for any other error. */
export const notAServer = (error: HoumaoError, url: string): CommandFailure | null =>
  error.errorCode === 'foreign_server'
    ? new CommandFailure(
        `${url} is not a managed-agent server. A gateway is reached by the name of its agent, without --server.`,
        exitCodes.unreachable,
        {
          errorCode: 'not_a_server',
          remedies: [['list the servers of this host', 'houmao-mgr server status']],
        },
      )
    : null;

/** Looks for an agent at servers only. @throws {CommandFailure} also when no server of this host has it. */
export async function requireAtServer(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AgentAtServer> {
  const found = await agentAtServer(name, flags, host);
  if (found) return found;
  throw new CommandFailure(`No managed-agent server of this host has an agent ${name}.`, exitCodes.notFound, {
    hint: 'Start one: houmao-mgr server start; or name one with --server',
    remedies: [['start one', 'houmao-mgr server start']],
  });
}

/** An agent, and the server that has it. */
export interface AgentOfServer {
  readonly url: string;
  readonly client: HoumaoClient;
  readonly identity: Schemas['AgentIdentity'];
}

/** Lists the agents of a server. @throws {CommandFailure} when the server does not list them. */
export async function agentsAt(url: string, flags: ServerFlag): Promise<AgentOfServer[]> {
  const client = clientAt(url, flags);
  try {
    const { agents } = await client.listAgents();
    return agents.map((identity) => ({ url, client, identity }));
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    throw (
      notAServer(error, url) ??
      callFailure(error, `Cannot list the agents of the server ${url}: ${error.detail}`)
    );
  }
}

/** Lists the agents of all servers of this host; a server that gives no list counts as empty. */
export async function agentsAtServers(host: Pick<AgentHost, 'runtimeRoot'>): Promise<AgentOfServer[]> {
  const urls = await servingServers(host);
  const lists = await Promise.all(
    urls.map((url) =>
      agentsAt(url, {}).catch((error: unknown) => {
        if (error instanceof CommandFailure) return [];
        throw error;
      }),
    ),
  );
  return lists.flat();
}
