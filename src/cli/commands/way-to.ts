import type { AnyGateway } from '@houmao/sdk/managed-agent';
import { isCommandId } from '../../foundation/host-name.js';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { gatewayProcess } from '../../launch/live-gateway.js';
import { attachedGateway } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { runsHeadless } from '../words/agent-kind.js';
import { CommandFailure, namedAs, type Remedy } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import {
  type AgentAtServer,
  agentAtServer,
  requireAtServer,
  requireGateway,
} from './at-server/agent-at-server.js';
import {
  findAgent,
  gatewayOf,
  gatewayOfFound,
  lastingClient,
  lookForGateway,
  withoutGateway,
} from './find-agent.js';
import { clientAt } from './server/see-servers.js';

/** The way to an agent: through its gateway, which a managed-agent server may call, or through a server alone. */
export type Way = (GatewayWay | ({ readonly by: 'server' } & AgentAtServer)) & AgentKind;

/** The way through the gateway of an agent. */
export interface GatewayWay {
  readonly by: 'gateway';
  readonly client: AnyGateway;
  /** The agent as the server knows it that calls the gateway; null when the gateway is called directly. */
  readonly atServer: AgentAtServer | null;
  /** The server that keeps prompts for an agent whose host is away from its fleet; null for any other agent. */
  readonly keptBy: string | null;
}

/** Returns the flag that leads to the same gateway again, with a blank before it; empty when none is needed. */
export function serverOf({ atServer, keptBy }: Pick<GatewayWay, 'atServer' | 'keptBy'>): string {
  const server = atServer?.url ?? keptBy;
  return server === null ? '' : serverFlagWords({ server });
}

/** Returns the failure of a call on this way, with the agent named as the operator named it. */
export const failureAt = (
  { atServer }: Pick<GatewayWay, 'atServer'>,
  failure: CommandFailure,
  name: string,
): CommandFailure => (atServer === null ? failure : namedAs(failure, atServer.identity, name));

/** Whether an agent runs in a terminal all the time, and which tool it runs. */
export interface AgentKind {
  readonly inTerminal: boolean;
  readonly tool: string;
}

/**
 * Returns the way to an agent: through the server that was named; otherwise to its gateway; if it has none, or the registry does
 * not know it, through a server of this host, which needs no gateway. A gateway that runs but does not answer is not bypassed.
 * @throws {CommandFailure} when no way leads there.
 */
export async function wayTo(name: string, flags: ServerFlag, host: AgentHost, output: Output): Promise<Way> {
  if (flags.server !== undefined) return throughServer(await requireAtServer(name, flags, host));
  const look = await lookHere(name, host);
  if ('client' in look) return { by: 'gateway', atServer: null, keptBy: null, ...look };
  const found = look.tryServer ? await agentAtServer(name, flags, host) : null;
  if (!found) throw look.trouble;
  output.progress(`${look.reason}; asking the server ${found.url}`);
  return throughServer(found);
}

/**
 * Returns the way for a prompt: {@link wayTo}, and for an agent whose host is away from its fleet that to the prompts which the fleet
 * keeps for it. No more is known of such an agent: its host decides about the prompt.
 * @throws {CommandFailure} when no way leads there.
 */
export async function promptWayTo(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<Way> {
  try {
    return await wayTo(name, flags, host, output);
  } catch (error) {
    const { server } = flags;
    if (!(error instanceof CommandFailure) || error.errorCode !== 'host_away' || server === undefined)
      throw error;
    const client = clientAt(server, flags).agent(name).gateway;
    return { by: 'gateway', client, atServer: null, keptBy: server, inTerminal: false, tool: '' };
  }
}

async function throughServer(found: AgentAtServer): Promise<Way> {
  const kind = { tool: found.identity.tool, inTerminal: found.identity.transport === 'tui' };
  const client = await attachedGateway(found.agent);
  return client === null
    ? { by: 'server', ...found, ...kind }
    : { by: 'gateway', client, atServer: found, keptBy: null, ...kind };
}

/** Returns the kind of an agent of this machine. */
export const kindOf = ({ record: { identity } }: Pick<RegisteredAgent, 'record'>): AgentKind => ({
  tool: identity.tool,
  inTerminal: !identity.backend.endsWith('_headless'),
});

type Look =
  | ({ client: AnyGateway } & AgentKind)
  /** `reason` says in a few words why a server is asked. */
  | { trouble: CommandFailure; tryServer: boolean; reason: string };

async function lookHere(name: string, host: AgentHost): Promise<Look> {
  let agent: RegisteredAgent;
  try {
    agent = findAgent(name, host);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { trouble: error, tryServer: true, reason: `No session of ${name} is here` };
  }
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'serving' || sight.state === 'refusing')
    return { client: lastingClient(agent.paths, sight.instance), ...kindOf(agent) };
  // A server would ask the running gateway, and get no answer either.
  const mayBeAtServer = sight.state === 'absent' || !gatewayProcess(sight.instance.pid, agent.paths);
  const server: Remedy = ['or a server, which needs none', 'houmao-mgr server start'];
  return {
    trouble: withoutGateway(name, agent, sight, mayBeAtServer ? [server] : []),
    tryServer: mayBeAtServer,
    reason: `No gateway of ${name} answers`,
  };
}

/** The calls that can also be answered from the queue file, without a gateway (ask-queue.ts). */
export type QueueCalls = {
  readonly [Call in 'listRequests' | 'getRequest' | 'listEvents' | 'getUsage']: (
    ...asked: Parameters<AnyGateway[Call]>
  ) => Promise<Awaited<ReturnType<AnyGateway[Call]>>>;
};

/** Returns the client of the gateway of an agent, which the named server calls. @throws {CommandFailure} */
export const gatewayBy = async (name: string, flags: ServerFlag, host: AgentHost): Promise<AnyGateway> =>
  flags.server === undefined
    ? gatewayOf(name, host)
    : requireGateway(await requireAtServer(name, flags, host), name);

/** Returns the client for a request; the fleet answers for the id of a command, also while the agent's host is away. */
export const queueWith = async (
  id: string,
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AnyGateway> =>
  flags.server !== undefined && isCommandId(id)
    ? clientAt(flags.server, flags).agent(name).gateway
    : gatewayBy(name, flags, host);

/** Returns the client of the gateway of an agent in a terminal. @throws {CommandFailure} also for an agent that runs headless. */
export async function terminalBy(name: string, flags: ServerFlag, host: AgentHost): Promise<AnyGateway> {
  const here = flags.server === undefined ? findAgent(name, host) : null;
  const there = here === null ? await requireAtServer(name, flags, host) : null;
  const inTerminal = here === null ? there?.identity.transport === 'tui' : kindOf(here).inTerminal;
  if (!inTerminal) throw runsHeadless({ name, server: serverFlagWords(flags) });
  return here === null ? requireGateway(there!, name) : gatewayOfFound(name, here, host);
}
