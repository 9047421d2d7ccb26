import { createGatewayClient, type GatewayClient } from '@houmao/sdk';
import { listed } from '../../foundation/text.js';
import {
  AmbiguousName,
  findAgent as find,
  hasSessionFiles,
  listAgents,
  NoSuchAgent,
  type RegisteredAgent,
} from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { forgetDeadGateway } from '../../launch/gateway-attachment.js';
import { type GatewayProbe, isHanging, liveGateway, probeGateway, urlOf } from '../../launch/live-gateway.js';
import { lastStopped, type StoppedAgent } from '../../launch/stopped-sessions.js';
import type { CurrentInstance } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import { localTime } from '../words/local-time.js';
import { withWays } from '../words/waiting-failure.js';

/** An example command that launches an agent. */
export const launchExample = 'houmao-mgr agents launch --tool claude --headless';

/** Returns the agents of this host by their short names; none when the registry cannot be read. */
export function agentNames(host: Pick<AgentHost, 'registryRoot'>): string[] {
  try {
    return listAgents(host)
      .agents.map(({ name }) => unprefixedName(name))
      .sort();
  } catch {
    return [];
  }
}

type Registered = Pick<AgentHost, 'registryRoot' | 'runtimeRoot' | 'clock'>;

/**
 * Finds an agent by name (`alpha` or `HOUMAO-alpha`) or id. @throws {CommandFailure} that names the known agents, or the files
 * of one that was stopped.
 */
export function registeredAgent(name: string, host: Registered): RegisteredAgent {
  try {
    return unambiguous(name, host);
  } catch (error) {
    if (!(error instanceof NoSuchAgent)) throw error;
    const stopped = lastStopped(name, host);
    if (stopped !== null) throw wasStopped(name, stopped, host);
    throw new CommandFailure(
      error.message,
      exitCodes.notFound,
      error.known.length > 0
        ? { hint: `Agents: ${listed(error.known)}` }
        : { remedies: [['launch it', `${launchExample} --name ${name}`]] },
    );
  }
}

/** Returns the agent of that name that was stopped last; null when one of the name is registered, or no files are left. */
export const stoppedAgent = (name: string, host: Registered): StoppedAgent | null =>
  knownAgent(name, host) === null ? lastStopped(name, host) : null;

/** @returns the beginning of a sentence */
export const stoppedWords = (name: string, { stoppedAt }: StoppedAgent, { clock }: Registered): string =>
  `${name} was stopped${stoppedAt === '' ? '' : ` at ${localTime(stoppedAt, clock.now())}`}`;

/**
 * Returns the failure of a command for an agent that was stopped: it names the files, and the command that launches one of that
 * name.
 */
function wasStopped(name: string, stopped: StoppedAgent, host: Registered): CommandFailure {
  const { agent_name, backend, tool } = stopped.manifest;
  const kind = backend.endsWith('_headless') ? '--headless' : '--tui';
  const sentence = `${stoppedWords(name, stopped, host)}; its files are in ${stopped.root}.`;
  return new CommandFailure(sentence, exitCodes.notFound, {
    remedies: [
      [
        'launch one of that name',
        `houmao-mgr agents launch --tool ${tool} ${kind} --name ${unprefixedName(agent_name ?? name)}`,
      ],
      ['delete the files of stopped agents', 'houmao-mgr agents prune'],
    ],
  });
}

/** Finds a registered agent by name or id; null when there is none. */
export function knownAgent(name: string, host: Pick<AgentHost, 'registryRoot'>): RegisteredAgent | null {
  try {
    return unambiguous(name, host);
  } catch (error) {
    if (error instanceof NoSuchAgent) return null;
    throw error;
  }
}

/** @throws {NoSuchAgent} @throws {CommandFailure} when several agents have that name. */
function unambiguous(name: string, host: Pick<AgentHost, 'registryRoot'>): RegisteredAgent {
  try {
    return find(name, host);
  } catch (error) {
    if (!(error instanceof AmbiguousName)) throw error;
    throw new CommandFailure(error.message, exitCodes.failed, { errorCode: 'ambiguous_agent' });
  }
}

/** Finds an agent whose session files still exist. @throws {CommandFailure} */
export function findAgent(name: string, host: Registered): RegisteredAgent {
  const found = registeredAgent(name, host);
  if (!hasSessionFiles(found)) {
    throw new CommandFailure(
      `The session of ${unprefixedName(found.name)} is gone (${found.paths.manifest}).`,
      exitCodes.notFound,
      {
        remedies: [['remove it from the list', `houmao-mgr agents stop ${name}`]],
        errorCode: 'session_gone',
      },
    );
  }
  return found;
}

/**
 * Returns the failure for an agent without an answering gateway, with the reason if it is known, and the remedy: a gateway that
 * hangs keeps another from starting.
 *
 * @param name the agent, as the operator named it.
 * @param further other remedies, which need no gateway.
 */
export function withoutGateway(
  name: string,
  { name: fullName, paths }: Pick<RegisteredAgent, 'name' | 'paths'>,
  sight: GatewayProbe,
  further: readonly Remedy[] = [],
): CommandFailure {
  const attach = `houmao-mgr agents gateway attach ${name}`;
  const why = sight.state === 'silent' ? ` (${sight.detail.replace(/\.$/, '')})` : '';
  return sight.state === 'silent' && isHanging(sight, paths)
    ? withWays(
        `The gateway of ${unprefixedName(fullName)} runs (process ${sight.instance.pid}) but does not answer${why}.`,
        [
          ['stop it', `houmao-mgr agents gateway detach ${name}`],
          ['then start another one', attach],
          ...further,
        ],
        exitCodes.unreachable,
        { errorCode: 'gateway_silent' },
      )
    : withWays(
        `No gateway answers for ${unprefixedName(fullName)}${why}.`,
        [['start one', attach], ...further],
        exitCodes.unreachable,
        { errorCode: 'no_gateway' },
      );
}

/** Looks for the gateway of an agent, and removes the published files of one that has surely ended. */
export async function lookForGateway(
  { paths }: Pick<RegisteredAgent, 'paths'>,
  host: AgentHost,
): Promise<GatewayProbe> {
  const sight = await probeGateway(paths);
  // An error here is ignored: the next attach, which needs the same files, reports it.
  await forgetDeadGateway(paths, sight, host).catch(() => undefined);
  return sight;
}

/** Returns a client of the gateway of an agent. @throws {CommandFailure} when there is no such agent, or no gateway answers. */
export const gatewayOf = async (name: string, host: AgentHost): Promise<GatewayClient> =>
  gatewayOfFound(name, findAgent(name, host), host);

/**
 * Returns a client of the gateway of an agent that was already found. @param name as the operator named it. @throws
 * {CommandFailure}
 */
export async function gatewayOfFound(
  name: string,
  agent: Pick<RegisteredAgent, 'name' | 'paths'>,
  host: AgentHost,
): Promise<GatewayClient> {
  return seenGateway(name, agent, await lookForGateway(agent, host));
}

/** Returns a client of a gateway that was already looked for. @throws {CommandFailure} */
export function seenGateway(
  name: string,
  agent: Pick<RegisteredAgent, 'name' | 'paths'>,
  sight: GatewayProbe,
): GatewayClient {
  if (sight.state === 'absent' || sight.state === 'silent') throw withoutGateway(name, agent, sight);
  return lastingClient(agent.paths, sight.instance);
}

/**
 * Returns a client of the gateway of a session. After a call that finds no gateway, the next call goes to the address where it
 * serves by then.
 */
export function lastingClient(paths: SessionPaths, found: Pick<CurrentInstance, 'port'>): GatewayClient {
  const first = urlOf(found);
  let url = first;
  return createGatewayClient({
    baseUrl: first,
    middleware: [
      {
        onRequest: ({ request }) =>
          url === first ? undefined : new Request(request.url.replace(first, url), request),
        onError: async ({ request }) => {
          if (request.signal.aborted) return;
          const instance = await liveGateway(paths);
          if (instance) url = urlOf(instance);
        },
      },
    ],
  });
}
