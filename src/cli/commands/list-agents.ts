import { createGatewayClient, type GatewayClient } from '@houmao/sdk';
import type { Schemas } from '@houmao/sdk/managed-agent';
import { version } from '../../foundation/version.js';
import {
  listAgents as everyAgent,
  hasSessionFiles,
  type RegisteredAgent,
} from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { gatewayProcess, urlOf } from '../../launch/live-gateway.js';
import type { ServerFlag } from '../flags/options.js';
import {
  type AgentFilters,
  isChosenState,
  isFiltered,
  noneLikeThat,
  only,
  queueCell,
  type Standing,
  standingByGateway,
  standingWord,
} from '../words/agent-standing.js';
import { unlessMissing } from '../words/call-failure.js';
import { fittedTable, interruptible, type Output, type Paint } from '../words/terminal-output.js';
import { olderLines, toldVersion, type Versioned } from '../words/version-words.js';
import { type AgentOfServer, agentsAt, agentsAtServers } from './at-server/agent-at-server.js';
import { launchExample, lookForGateway } from './find-agent.js';
import { clientAt, servingServers } from './server/see-servers.js';

/** The limits of each call: one agent that gives no answer must not hold up the list. */
const limits = { timeoutMs: 3000, maxRetries: 0 };

interface Listed {
  readonly agent_name: string;
  readonly agent_id: string | null;
  readonly tool: string;
  readonly backend: string | null;
  readonly session_root: string | null;
  readonly gateway_url: string | null;
  readonly gateway_version: string | null;
  readonly lease_expires_at: string | null;
  readonly standing: Standing;
}

export interface ListFlags extends ServerFlag, AgentFilters {
  watch?: boolean;
  /** The agents of every host of the fleet. */
  fleet?: boolean;
}

/** The time between two looks of `--watch`. */
const watchMilliseconds = 2000;

/** `agents list`: shows the agents once or, with `--watch`, again whenever something about them has changed, until Ctrl-C. */
export async function listAgents(flags: ListFlags, host: AgentHost, output: Output): Promise<void> {
  const { lookAtFleet } = await import('./fleet/see-fleet.js');
  // `key` is equal where nothing has changed that a person would see.
  const look = () => (flags.fleet ? lookAtFleet : lookAtHost)(flags, host, output);
  if (!flags.watch) return (await look()).show();
  await interruptible(async (signal) => {
    let shown: string | null = null;
    while (!signal.aborted) {
      const { key, show } = await look();
      if (key !== shown) {
        output.clear();
        show();
      }
      shown = key;
      await host.clock.sleep(watchMilliseconds, signal);
    }
  });
}

async function lookAtHost(
  flags: ListFlags,
  host: AgentHost,
  output: Output,
): Promise<{ key: string; show: () => void }> {
  const list = await listOf(flags, host, output);
  const agents = list.agents.map((agent) => ({ ...agent, lease_expires_at: null }));
  return { key: JSON.stringify({ ...list, agents }), show: () => showAgents(list, flags, output) };
}

/** A managed-agent server, and its version; null when it gives no answer. */
interface ListedServer {
  readonly api_base_url: string;
  readonly version: string | null;
}

interface AgentList {
  readonly agents: readonly Listed[];
  readonly servers: readonly ListedServer[];
}

async function listOf(flags: ListFlags, host: AgentHost, output: Output): Promise<AgentList> {
  const urls = flags.server === undefined ? await servingServers(host) : [flags.server];
  const [agents, servers] = await Promise.all([
    agentsOf(flags, host, output),
    Promise.all(
      urls.map(async (url) => ({
        api_base_url: url,
        version: await toldVersion(clientAt(url, flags).getServerAbout(limits), true),
      })),
    ),
  ]);
  return { agents, servers };
}

/**
 * Lists the agents of the registry and those that only a server of this host has; or those of one server; sorted by name. No agent
 * of another tool than the one asked for is looked at.
 */
async function agentsOf(flags: ListFlags, host: AgentHost, output: Output): Promise<Listed[]> {
  const there =
    flags.server === undefined ? await agentsAtServers(host) : await agentsAt(flags.server, flags);
  const here = flags.server === undefined ? foundHere(host, output) : [];
  const known = new Set(here.map(({ paths }) => paths.manifest));
  const onlyThere = there.filter(({ identity: { manifest_path } }) => !known.has(manifest_path ?? ''));
  const glance = glanceAtServers();
  const isOfTool = (tool: string): boolean => flags.tool === undefined || tool === flags.tool;
  const agents = await Promise.all([
    ...here
      .filter(({ record }) => isOfTool(record.identity.tool))
      .map((agent) => listedHere(agent, there, glance, host)),
    ...onlyThere
      .filter(({ identity }) => isOfTool(identity.tool))
      .map((agent) => listedAtServer(agent, glance)),
  ]);
  const found = agents.filter(({ standing }) => isChosenState(standing.state, flags.state));
  return found.sort((a, b) => (a.agent_name < b.agent_name ? -1 : a.agent_name > b.agent_name ? 1 : 0));
}

const showAgents = ({ agents, servers }: AgentList, flags: AgentFilters, output: Output): void =>
  output.result(
    { agents: agents.map(toJson), servers, version },
    [
      ...(agents.length === 0
        ? isFiltered(flags)
          ? [noneLikeThat]
          : [output.pastable(`No agents. Launch one: ${launchExample}`)]
        : fittedTable(
            [['NAME', 'TOOL', 'STATE', 'QUEUE', 'GATEWAY', 'VERSION', 'SESSION'], ...agents.map(rowOf)],
            output.width,
            [
              { column: 6, keep: 'end' },
              { column: 0, keep: 'beginning' },
            ],
          )),
      ...servers.map(
        ({ api_base_url, version: its }) => `server ${api_base_url} ${its ?? 'of unknown version'}`,
      ),
      ...olderLines([...agents.map(versionedAgent), ...servers.map(versionedServer)]).map((line) =>
        output.pastable(line),
      ),
    ],
    paints,
  );

const versionedAgent = ({ agent_name, backend, gateway_version }: Listed): Versioned => {
  const name = unprefixedName(agent_name);
  // The backend is known of agents of this machine's registry alone.
  const remedy = backend === null ? null : `houmao-mgr agents gateway attach ${name} --restart`;
  return { subject: `The gateway of ${name}`, version: gateway_version, remedy };
};

const versionedServer = ({ api_base_url, version: its }: ListedServer): Versioned => ({
  subject: `The server ${api_base_url}`,
  version: its,
  remedy: 'houmao-mgr server stop, then houmao-mgr server start',
});

const paints: readonly Paint[] = [
  { pattern: /^NAME .*/, format: 'bold' },
  { pattern: /(?<=^\S+ +\S+ +)ready(?= )/, format: 'green' },
  { pattern: /(?<=^\S+ +\S+ +)(?:working|busy)(?= )/, format: 'cyan' },
  { pattern: /(?<=^\S+ +\S+ +)needs you(?= )/, format: 'bold' },
  {
    pattern:
      /(?<=^\S+ +\S+ +)(?:unreachable|replaced|fault|no answer|refuses you|session gone|tool ended|unknown)(?= )/,
    format: 'red',
  },
];

const toJson = ({ standing: { state, queueDepth, queueWaiting, queuePaused }, ...agent }: Listed) => ({
  ...agent,
  state,
  queue_depth: queueDepth,
  queue_waiting: queueWaiting,
  queue_paused: queuePaused,
});

const rowOf = ({
  agent_name,
  tool,
  standing,
  gateway_url,
  gateway_version,
  session_root,
}: Listed): string[] => [
  ...[
    unprefixedName(agent_name),
    tool,
    standing.state,
    queueCell(standing),
    gateway_url ?? '-',
    gateway_version ?? '-',
    session_root ?? '-',
  ],
];

function foundHere(host: AgentHost, output: Output): RegisteredAgent[] {
  const { agents, unusable } = everyAgent(host);
  for (const { message } of unusable) output.progress(`not listed: ${message}`);
  return agents;
}

/** Lists an agent of the registry. If it has no gateway, a server of this host is asked for its state. */
async function listedHere(
  agent: RegisteredAgent,
  there: readonly AgentOfServer[],
  glance: Glance,
  host: AgentHost,
): Promise<Listed> {
  const { name, record, paths } = agent;
  const { gatewayUrl, gatewayVersion, standing } = await lookAt(agent, host);
  const atServer = there.find(({ identity }) => identity.manifest_path === paths.manifest);
  return {
    agent_name: name,
    agent_id: record.agent_id,
    tool: record.identity.tool,
    backend: record.identity.backend,
    session_root: paths.root,
    gateway_url: gatewayUrl,
    gateway_version: gatewayVersion,
    lease_expires_at: record.lease_expires_at,
    standing:
      standing.state === 'no gateway' && atServer
        ? (await seenByServer(atServer, glance)).standing
        : standing,
  };
}

interface Sight {
  readonly gatewayUrl: string | null;
  readonly gatewayVersion: string | null;
  readonly standing: Standing;
}

const none = { gatewayUrl: null, gatewayVersion: null } as const;

async function lookAt(agent: RegisteredAgent, host: AgentHost): Promise<Sight> {
  if (!hasSessionFiles(agent)) return { ...none, standing: only('session gone') };
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'absent') return { ...none, standing: only('no gateway') };
  if (sight.state === 'silent') {
    const hangs = gatewayProcess(sight.instance.pid, agent.paths) !== null;
    return { ...none, standing: only(hangs ? 'no answer' : 'no gateway') };
  }
  const baseUrl = urlOf(sight.instance);
  if (sight.state === 'refusing') return { ...none, gatewayUrl: baseUrl, standing: only('refuses you') };
  return { gatewayUrl: baseUrl, ...(await askedOfGateway(createGatewayClient({ baseUrl }))) };
}

async function askedOfGateway({
  getStatus,
  getQueue,
  getTuiState,
  listRequests,
  getAbout,
}: Pick<GatewayClient, 'getStatus' | 'getQueue' | 'getTuiState' | 'listRequests' | 'getAbout'>): Promise<
  Omit<Sight, 'gatewayUrl'>
> {
  try {
    // Not readable when the queue has a fault, which the answer about the queue reports.
    const counted = listRequests({ query: { state: 'running' }, ...limits }).then(
      ({ requests }) => requests.length,
      () => null,
    );
    const [status, queue, running] = await Promise.all([
      getStatus(limits),
      unlessMissing(getQueue(limits)),
      counted,
    ]);
    const rests = status.terminal_surface_eligibility === 'ready' && status.active_execution === 'idle';
    const hasTerminal = status.backend === 'local_interactive' && !rests;
    const terminal = hasTerminal ? await getTuiState(limits).catch(() => null) : null;
    return {
      gatewayVersion: await toldVersion(getAbout(limits), queue !== null),
      standing: standingByGateway(status, queue, running, terminal),
    };
  } catch {
    return { gatewayVersion: null, standing: only('unknown') };
  }
}

/** Returns the agents of a server at a glance. */
type Glance = (server: Pick<AgentOfServer, 'url' | 'client'>) => Promise<readonly Schemas['AgentOverview'][]>;

/** Makes a {@link Glance} that asks each server once, whichever number of its agents is listed. */
function glanceAtServers(): Glance {
  const asked = new Map<string, ReturnType<Glance>>();
  return ({ url, client }) => {
    const known = asked.get(url);
    if (known) return known;
    const answer = client.getHostOverview(limits).then(({ agents }) => agents);
    asked.set(url, answer);
    return answer;
  };
}

const listedAtServer = async (found: AgentOfServer, glance: Glance): Promise<Listed> => {
  const { identity } = found;
  return {
    agent_name: identity.agent_name ?? identity.tracked_agent_id,
    agent_id: identity.agent_id,
    tool: identity.tool,
    backend: null,
    session_root: identity.session_root,
    lease_expires_at: null,
    ...(await seenByServer(found, glance)),
  };
};

/** The agent as its server sees it at a glance; the queue is asked of its gateway. */
async function seenByServer(
  found: AgentOfServer,
  glance: Glance,
): Promise<Pick<Listed, 'gateway_url' | 'gateway_version' | 'standing'>> {
  try {
    const { tracked_agent_id: id } = found.identity;
    const seen = (await glance(found)).find(({ tracked_agent_id }) => tracked_agent_id === id);
    if (!seen?.has_gateway) {
      const standing = only(seen ? standingWord(seen.state) : 'unknown');
      return { gateway_url: null, gateway_version: null, standing };
    }
    const { gateway } = found.client.agent(id);
    const [{ gateway_port }, { gatewayVersion, standing }] = await Promise.all([
      gateway.getStatus(limits),
      askedOfGateway(gateway),
    ]);
    return {
      gateway_url: gateway_port === null ? null : urlOf({ port: gateway_port }),
      gateway_version: gatewayVersion,
      standing,
    };
  } catch {
    return { gateway_url: null, gateway_version: null, standing: only('unknown') };
  }
}
