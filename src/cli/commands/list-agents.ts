import { createGatewayClient, type GatewayClient } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
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
  only,
  queueCell,
  type Standing,
  standingByGateway,
  standingByServer,
} from '../words/agent-standing.js';
import { unlessMissing } from '../words/call-failure.js';
import { fittedTable, interruptible, type Output, type Paint } from '../words/terminal-output.js';
import { type AgentOfServer, agentsAt, agentsAtServers } from './at-server/agent-at-server.js';
import { launchExample, lookForGateway } from './find-agent.js';

/** The limits of each call: one agent that gives no answer must not hold up the list. */
const limits = { timeoutMs: 3000, maxRetries: 0 };

interface Listed {
  readonly agent_name: string;
  readonly agent_id: string | null;
  readonly tool: string;
  readonly backend: string | null;
  readonly session_root: string | null;
  readonly gateway_url: string | null;
  readonly lease_expires_at: string | null;
  readonly standing: Standing;
}

export interface ListFlags extends ServerFlag {
  watch?: boolean;
}

/** The time between two looks of `--watch`. */
const watchMilliseconds = 2000;

/** `agents list`: shows the agents once or, with `--watch`, again whenever something about them has changed, until Ctrl-C. */
export async function listAgents(flags: ListFlags, host: AgentHost, output: Output): Promise<void> {
  if (!flags.watch) return showAgents(await agentsOf(flags, host, output), output);
  await interruptible(async (signal) => {
    let shown: string | null = null;
    while (!signal.aborted) {
      const agents = await agentsOf(flags, host, output);
      const now = JSON.stringify(agents.map((agent) => ({ ...agent, lease_expires_at: null })));
      if (now !== shown) {
        output.clear();
        showAgents(agents, output);
      }
      shown = now;
      await host.clock.sleep(watchMilliseconds, signal);
    }
  });
}

/** Lists the agents of the registry and those that only a server of this host has; or those of one server; sorted by name. */
async function agentsOf(flags: ServerFlag, host: AgentHost, output: Output): Promise<Listed[]> {
  const there = flags.server === undefined ? await agentsAtServers(host) : await agentsAt(flags.server);
  const here = flags.server === undefined ? foundHere(host, output) : [];
  const known = new Set(here.map(({ paths }) => paths.manifest));
  const onlyThere = there.filter(({ identity: { manifest_path } }) => !known.has(manifest_path ?? ''));
  const agents = await Promise.all([
    ...here.map((agent) => listedHere(agent, there, host)),
    ...onlyThere.map((agent) => listedAtServer(agent)),
  ]);
  return agents.sort((a, b) => (a.agent_name < b.agent_name ? -1 : a.agent_name > b.agent_name ? 1 : 0));
}

const showAgents = (agents: readonly Listed[], output: Output): void =>
  output.result(
    { agents: agents.map(toJson) },
    agents.length === 0
      ? [output.pastable(`No agents. Launch one: ${launchExample}`)]
      : fittedTable(
          [['NAME', 'TOOL', 'STATE', 'QUEUE', 'GATEWAY', 'SESSION'], ...agents.map(rowOf)],
          output.width,
          [
            { column: 5, keep: 'end' },
            { column: 0, keep: 'beginning' },
          ],
        ),
    paints,
  );

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

const rowOf = ({ agent_name, tool, standing, gateway_url, session_root }: Listed): string[] => [
  ...[
    unprefixedName(agent_name),
    tool,
    standing.state,
    queueCell(standing),
    gateway_url ?? '-',
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
  host: AgentHost,
): Promise<Listed> {
  const { name, record, paths } = agent;
  const { gatewayUrl, standing } = await lookAt(agent, host);
  const atServer = there.find(({ identity }) => identity.manifest_path === paths.manifest);
  return {
    agent_name: name,
    agent_id: record.agent_id,
    tool: record.identity.tool,
    backend: record.identity.backend,
    session_root: paths.root,
    gateway_url: gatewayUrl,
    lease_expires_at: record.lease_expires_at,
    standing: standing.state === 'no gateway' && atServer ? await askedOfServer(atServer) : standing,
  };
}

interface Sight {
  readonly gatewayUrl: string | null;
  readonly standing: Standing;
}

async function lookAt(agent: RegisteredAgent, host: AgentHost): Promise<Sight> {
  if (!hasSessionFiles(agent)) return { gatewayUrl: null, standing: only('session gone') };
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'absent') return { gatewayUrl: null, standing: only('no gateway') };
  if (sight.state === 'silent') {
    const hangs = gatewayProcess(sight.instance.pid, agent.paths) !== null;
    return { gatewayUrl: null, standing: only(hangs ? 'no answer' : 'no gateway') };
  }
  const baseUrl = urlOf(sight.instance);
  if (sight.state === 'refusing') return { gatewayUrl: baseUrl, standing: only('refuses you') };
  return { gatewayUrl: baseUrl, standing: await askedOfGateway(createGatewayClient({ baseUrl })) };
}

async function askedOfGateway({
  getStatus,
  getQueue,
  getTuiState,
  listRequests,
}: Pick<GatewayClient, 'getStatus' | 'getQueue' | 'getTuiState' | 'listRequests'>): Promise<Standing> {
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
    return standingByGateway(status, queue, running, terminal);
  } catch {
    return only('unknown');
  }
}

const listedAtServer = async (found: AgentOfServer): Promise<Listed> => {
  const { identity } = found;
  return {
    agent_name: identity.agent_name ?? identity.tracked_agent_id,
    agent_id: identity.agent_id,
    tool: identity.tool,
    backend: null,
    session_root: identity.session_root,
    lease_expires_at: null,
    ...(await seenByServer(found)),
  };
};

const askedOfServer = async (found: AgentOfServer): Promise<Standing> => (await seenByServer(found)).standing;

async function seenByServer({
  url,
  identity,
}: AgentOfServer): Promise<{ gateway_url: string | null; standing: Standing }> {
  const client = createHoumaoClient({ baseUrl: url });
  const agent = client.agent(identity.tracked_agent_id);
  try {
    const state = await agent.getAgentState(limits);
    const { gateway } = state;
    if (gateway?.gateway_health !== 'healthy') {
      const path = { terminal_id: identity.terminal_id ?? '' };
      const terminal =
        identity.terminal_id === null || state.turn.phase === 'ready'
          ? null
          : await client.getTerminalState({ path, ...limits }).catch(() => null);
      return { gateway_url: null, standing: standingByServer(state, terminal) };
    }
    const standing = await askedOfGateway(agent.gateway);
    return {
      gateway_url: gateway.gateway_port === null ? null : urlOf({ port: gateway.gateway_port }),
      standing,
    };
  } catch {
    return { gateway_url: null, standing: only('unknown') };
  }
}
