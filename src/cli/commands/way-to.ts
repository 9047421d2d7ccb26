import type { GatewayClient } from '@houmao/sdk';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { gatewayProcess } from '../../launch/live-gateway.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { runsHeadless } from '../words/agent-kind.js';
import { CommandFailure, type Remedy } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { type AgentAtServer, agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import {
  findAgent,
  gatewayOf,
  gatewayOfFound,
  lastingClient,
  lookForGateway,
  withoutGateway,
} from './find-agent.js';

/** The way to an agent: through its gateway, or through a managed-agent server. */
export type Way = (
  | { readonly by: 'gateway'; readonly client: GatewayClient }
  | ({ readonly by: 'server' } & AgentAtServer)
) &
  AgentKind;

/** Whether an agent runs in a terminal all the time, and which tool it runs. */
export interface AgentKind {
  readonly inTerminal: boolean;
  readonly tool: string;
}

/**
 * Returns the way to an agent: the server that was named; otherwise its gateway; if it has none, or the registry does not know
 * it, a server of this host, which needs no gateway. A gateway that runs but does not answer is not bypassed.
 * @throws {CommandFailure} when no way leads there.
 */
export async function wayTo(name: string, flags: ServerFlag, host: AgentHost, output: Output): Promise<Way> {
  if (flags.server !== undefined) return byServer(await requireAtServer(name, flags, host));
  const look = await lookHere(name, host);
  if ('client' in look) return { by: 'gateway', ...look };
  const found = look.tryServer ? await agentAtServer(name, flags, host) : null;
  if (!found) throw look.trouble;
  output.progress(`No gateway of ${name} answers; asking the server ${found.url}`);
  return byServer(found);
}

const byServer = (found: AgentAtServer): Way => ({
  by: 'server',
  ...found,
  tool: found.identity.tool,
  inTerminal: found.identity.transport === 'tui',
});

/** Returns the kind of an agent of this machine. */
export const kindOf = ({ record: { identity } }: Pick<RegisteredAgent, 'record'>): AgentKind => ({
  tool: identity.tool,
  inTerminal: !identity.backend.endsWith('_headless'),
});

type Look = ({ client: GatewayClient } & AgentKind) | { trouble: CommandFailure; tryServer: boolean };

async function lookHere(name: string, host: AgentHost): Promise<Look> {
  let agent: RegisteredAgent;
  try {
    agent = findAgent(name, host);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { trouble: error, tryServer: true };
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
  };
}

/** The calls of an agent's gateway, made to the gateway itself or to a server. */
export type AgentGatewayCalls = Pick<
  GatewayClient,
  | 'getStatus'
  | 'getQueue'
  | 'updateQueue'
  | 'reconcile'
  | 'getHeadlessState'
  | 'getTuiState'
  | 'getDialog'
  | 'answerDialog'
  | 'getTurn'
  | 'listRequests'
  | 'getRequest'
  | 'cancelRequest'
  | 'listEvents'
  | 'sendKeys'
  | 'listReminders'
  | 'getReminder'
  | 'createReminders'
  | 'updateReminder'
  | 'deleteReminder'
>;

/** The calls that can also be answered from the queue file, without a gateway (ask-queue.ts). */
export type QueueCalls = {
  readonly [Call in 'listRequests' | 'getRequest' | 'listEvents']: (
    ...asked: Parameters<AgentGatewayCalls[Call]>
  ) => Promise<Awaited<ReturnType<AgentGatewayCalls[Call]>>>;
};

/** Returns the calls of the gateway of an agent, or of the named server, which forwards them. @throws {CommandFailure} */
export const gatewayBy = async (
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AgentGatewayCalls> =>
  flags.server === undefined
    ? gatewayOf(name, host)
    : (await requireAtServer(name, flags, host)).agent.gateway;

/** Returns the calls of an agent in a terminal. @throws {CommandFailure} also for an agent that runs headless. */
export async function terminalBy(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
): Promise<AgentGatewayCalls> {
  const here = flags.server === undefined ? findAgent(name, host) : null;
  const there = here === null ? await requireAtServer(name, flags, host) : null;
  const inTerminal = here === null ? there?.identity.transport === 'tui' : kindOf(here).inTerminal;
  if (!inTerminal) throw runsHeadless({ name, server: serverFlagWords(flags) });
  return here === null ? there!.agent.gateway : gatewayOfFound(name, here, host);
}
