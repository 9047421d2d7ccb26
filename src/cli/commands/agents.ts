import { listAgents as everyAgent, type FoundAgent, hasSessionFiles } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { attachGateway, type GatewayWish } from '../../launch/attach-gateway.js';
import { checkLaunch } from '../../launch/check-launch.js';
import { createSession } from '../../launch/create-session.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import type { LaunchRequest } from '../../launch/launch-request.js';
import { urlOf } from '../../launch/live-gateway.js';
import { stopAgent as stop } from '../../launch/stop-agent.js';
import { readManifest } from '../../session/manifest.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { type GatewayFlags, toGatewayWish } from '../flags/gateway-flags.js';
import { type LaunchFlags, toLaunchWish } from '../flags/launch-options.js';
import type { ServerFlag } from '../flags/server-flag.js';
import { exitCodes } from '../words/command-failure.js';
import { type Output, table } from '../words/terminal-output.js';
import { withWays } from '../words/waiting-failure.js';
import { type AgentAtServer, agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { type AgentIdentity, agentsAt, agentsAtServers } from './at-server/agents-at-servers.js';
import { stopAtServer } from './at-server/stop-at-server.js';
import { knownAgent, launchExample, lookForGateway, registeredAgent } from './find-agent.js';

/** `agents launch`: session, registry record and, unless told otherwise, the gateway beside it. */
export async function launchAgent(
  flags: LaunchFlags & GatewayFlags & { gateway: boolean },
  toolArguments: readonly string[],
  host: AgentHost,
  output: Output,
): Promise<void> {
  const request = checkLaunch(toLaunchWish(flags, toolArguments), host);
  output.progress(`Creating the session of ${request.name} (${request.tool}, ${hostWords(request)})`);
  if (request.unattended) output.progress('Unattended: the tool will not ask for permissions.');
  if (request.hooks) output.progress(hookWords(request));
  const paths = await createSession(request, host);
  let url: string | null = null;
  if (flags.gateway) {
    output.progress('Starting its gateway');
    url = await firstGateway(request.name, paths, toGatewayWish(flags), host);
  }
  const manifest = readManifest(paths.manifest);
  output.result(
    {
      agent_name: manifest.agent_name,
      agent_id: manifest.agent_id,
      backend: manifest.backend,
      session_root: paths.root,
      manifest_path: paths.manifest,
      tmux_session_name: request.tmux ? manifest.tmux_session_name : null,
      gateway_url: url,
    },
    [
      `Agent ${request.name} is ready.`,
      `  session  ${paths.root}`,
      ...(request.tmux ? [`  tmux     tmux attach -t ${manifest.tmux_session_name}`] : []),
      ...(url
        ? [
            `  gateway  ${url}  (read the API at ${url}/docs)`,
            output.pastable(
              request.terminal
                ? `  try      houmao-mgr agents screen ${request.name}`
                : `  try      houmao-mgr agents prompt ${request.name} "Hello"`,
            ),
          ]
        : []),
    ],
  );
}

const hostWords = ({ terminal, tmux }: LaunchRequest): string =>
  terminal ? 'in a terminal' : `headless${tmux ? ', in tmux' : ''}`;

const hookWords = ({ tool }: LaunchRequest): string =>
  tool === 'codex'
    ? 'With hooks: Codex runs every hook that it finds without asking whether you trust it.'
    : 'With hooks: the tool tells of prompts and permissions as they come.';

/** @throws {CommandFailure} that says what there is all the same when the gateway does not come up. */
async function firstGateway(
  name: string,
  paths: SessionPaths,
  wish: GatewayWish,
  host: AgentHost,
): Promise<string> {
  try {
    return (await attachGateway(paths, wish, host)).url;
  } catch (error) {
    if (!(error instanceof LaunchFault || error instanceof TmuxFault)) throw error;
    const ways: [string, string][] = [
      ['start it', `houmao-mgr agents gateway attach ${name}`],
      ['take the agent away again', `houmao-mgr agents stop ${name}`],
    ];
    throw withWays(
      `${error.message}\nThe agent ${name} is registered, but its gateway did not start.`,
      ways,
      exitCodes.failed,
      { errorCode: 'gateway_not_started' },
    );
  }
}

/** `agents list`: those of the registry, and behind them what only a server of this host has; or those of one server. */
export async function listAgents(flags: ServerFlag, host: AgentHost, output: Output): Promise<void> {
  const here = flags.server === undefined ? await agentsHere(host, output) : [];
  const there = flags.server === undefined ? await agentsAtServers(host) : await agentsAt(flags.server);
  const known = new Set(here.map(({ manifest_path }) => manifest_path));
  const agents = [
    ...here.map(({ manifest_path: _, ...agent }) => agent),
    ...there
      .filter(({ manifest_path }) => manifest_path === null || !known.has(manifest_path))
      .map(listedAtServer),
  ];
  output.result(
    { agents },
    agents.length === 0
      ? [output.pastable(`No agents. Launch one: ${launchExample}`)]
      : table([
          ['NAME', 'TOOL', 'GATEWAY', 'SESSION'],
          ...agents.map((agent) => [
            agent.agent_name,
            agent.tool,
            'gateway_url' in agent ? (agent.gateway_url ?? '-') : 'not told',
            agent.session_root ?? '-',
          ]),
        ]),
  );
}

function agentsHere(host: AgentHost, output: Output) {
  const { agents, unusable } = everyAgent(host);
  for (const { message } of unusable) output.progress(`left out: ${message}`);
  return Promise.all(agents.map((agent) => describe(agent, host)));
}

/** An agent with what its server tells in a list: nothing of a gateway, so that `gateway_url` is left out. */
const listedAtServer = (agent: AgentIdentity) => ({
  agent_name: agent.agent_name ?? agent.tracked_agent_id,
  agent_id: agent.agent_id,
  tool: agent.tool,
  backend: null,
  session_root: agent.session_root,
  lease_expires_at: null,
});

async function describe(agent: FoundAgent, host: AgentHost) {
  const sight = hasSessionFiles(agent) ? await lookForGateway(agent, host).catch(() => null) : null;
  const instance = sight?.state === 'serving' || sight?.state === 'refusing' ? sight.instance : null;
  return {
    agent_name: agent.name,
    agent_id: agent.record.agent_id,
    tool: agent.record.identity.tool,
    backend: agent.record.identity.backend,
    session_root: agent.paths.root,
    manifest_path: agent.paths.manifest,
    gateway_url: instance ? urlOf(instance) : null,
    lease_expires_at: agent.record.lease_expires_at,
  };
}

/**
 * `agents stop`: turn, gateway, tmux session and registry record; the session root stays. A server of this host that has the
 * agent does it, since it keeps records of its own.
 */
export async function stopAgent(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const atServer =
    flags.server === undefined ? await sameAtServer(name, host) : await requireAtServer(name, flags, host);
  if (atServer) return stopAtServer(atServer, output);
  const agent = registeredAgent(name, host);
  output.progress('Stopping its gateway');
  const stopped = await stop(agent, host);
  const kept = hasSessionFiles(agent) ? ` Its files stay in ${agent.paths.root}` : '';
  output.result(
    {
      agent_name: agent.name,
      gateway_stopped: stopped.gatewayStopped,
      tmux_stopped: stopped.tmuxStopped,
      session_root: agent.paths.root,
      left_undone: stopped.leftUndone,
    },
    [`Stopped ${agent.name}.${kept}`, ...stopped.leftUndone],
  );
}

/** The agent of that name as a server of this host has it: the very same session, where the registry knows the name. */
async function sameAtServer(name: string, host: AgentHost): Promise<AgentAtServer | null> {
  const known = knownAgent(name, host);
  const found = await agentAtServer(known?.record.agent_id ?? name, {}, host);
  return known && found?.identity.manifest_path !== known.paths.manifest ? null : found;
}
