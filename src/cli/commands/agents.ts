import { createGatewayClient } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { recordedTmux } from '../../agent/local/agent-place.js';
import { askedOfPerson } from '../../contract/agent-standing.js';
import type { Clock } from '../../foundation/clock.js';
import { hasSessionFiles } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { checkLaunch } from '../../launch/check-launch.js';
import { createSession } from '../../launch/create-session.js';
import { attachGateway } from '../../launch/gateway-attachment.js';
import type { GatewaySettings } from '../../launch/gateway-settings.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import type { LaunchRequest } from '../../launch/launch-request.js';
import { endAgent, stopAgent as stop } from '../../launch/stop-agent.js';
import { readManifest } from '../../session/manifest.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { type GatewayFlags, reachAdvice, requestedGateway } from '../flags/gateway-flags.js';
import { type LaunchFlags, requestedLaunch } from '../flags/launch-options.js';
import type { ServerFlag } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes, namedAs, refuseLeftUndone } from '../words/command-failure.js';
import { type CommandResult, interruptible, type Output } from '../words/terminal-output.js';
import { type AgentAtServer, agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { endedWork } from './ended-work.js';
import { knownAgent, registeredAgent } from './find-agent.js';

/** The flags of `agents launch`. */
export type AllLaunchFlags = LaunchFlags & GatewayFlags & { gateway: boolean };

/** `agents launch`: creates session, registry record and, unless `--no-gateway` is given, the gateway beside it. */
export async function launchAgent(
  flags: AllLaunchFlags,
  toolArguments: readonly string[],
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { value, lines } = await launched(flags, toolArguments, host, output);
  output.result(value, lines);
}

/** Launches an agent. @returns the result of `agents launch`, for programs and for people */
export async function launched(
  flags: AllLaunchFlags,
  toolArguments: readonly string[],
  host: AgentHost,
  output: Output,
): Promise<CommandResult> {
  const request = checkLaunch(requestedLaunch(flags, toolArguments), host);
  let url: string | null = null;
  const paths = await interruptible((signal) => {
    signal.addEventListener('abort', () => output.progress('Stopping; removing what was created'));
    output.progress(`Creating the session of ${request.name} (${request.tool}, ${hostWords(request)})`);
    if (request.unattended) output.progress('Unattended: the tool will not ask for permissions.');
    if (request.hooks) output.progress(hookWords(request));
    return createSession(request, host, async (manifest, made) => {
      refuseStopped(request, signal);
      if (!flags.gateway) return;
      output.progress('Starting its gateway');
      for (const advice of reachAdvice(flags.host, flags.allowedHost)) output.progress(advice);
      url = await firstGateway(request, manifest, made, requestedGateway(flags), host, signal);
    });
  });
  const manifest = readManifest(paths.manifest);
  const attach = recordedTmux(manifest, host.tmux).attachCommand(manifest.tmux_session_name ?? '');
  const standing = request.terminal ? await firstStanding(url, host.clock, output) : 'ready';
  return {
    value: {
      agent_name: manifest.agent_name,
      agent_id: manifest.agent_id,
      backend: manifest.backend,
      session_root: paths.root,
      manifest_path: paths.manifest,
      tmux_session_name: request.tmux ? manifest.tmux_session_name : null,
      gateway_url: url,
      state: standing,
    },
    lines: [
      output.pastable(
        standingWords(request, standing, url === null ? attach : `houmao-mgr agents screen ${request.name}`),
      ),
      `  session  ${paths.root}`,
      ...(request.tmux ? [`  tmux     ${attach}`] : []),
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
  };
}

export type FirstStanding = 'ready' | 'needs you' | 'starting';

/** The time to wait for a tool to draw its screen and to ask its questions, which takes it a few seconds. */
const startMilliseconds = 8000;
const lookMilliseconds = 250;

/** Returns the state of an agent in a terminal after its launch. It is `ready` only when it was observed to be. */
export async function firstStanding(
  url: string | null,
  clock: Clock,
  output: Output,
): Promise<FirstStanding> {
  if (url === null) return 'starting';
  output.progress('Waiting for its screen');
  const { getStatus, getTuiState } = createGatewayClient({ baseUrl: url });
  const deadline = clock.monotonic() + startMilliseconds;
  for (;;) {
    const seen = await Promise.all([getStatus(), getTuiState()]).catch(() => null);
    if (seen?.[0].terminal_surface_eligibility === 'ready') return 'ready';
    if (seen && askedOfPerson(seen[1]) !== null) return 'needs you';
    if (clock.monotonic() >= deadline) return 'starting';
    await clock.sleep(lookMilliseconds);
  }
}

/** @param see the command that shows its screen */
function standingWords({ name, tool }: LaunchRequest, standing: FirstStanding, see: string): string {
  switch (standing) {
    case 'ready':
      return `Agent ${name} is ready.`;
    case 'needs you':
      return `Agent ${name} is up, and ${tool} waits for a person to answer: ${see}`;
    case 'starting':
      return `Agent ${name} is up, and ${tool} is starting; watch it: ${see}`;
  }
}

const hostWords = ({ terminal, tmux }: LaunchRequest): string =>
  terminal ? 'in a terminal' : `headless${tmux ? ', in tmux' : ''}`;

const hookWords = ({ tool }: LaunchRequest): string =>
  tool === 'codex'
    ? 'With hooks: Codex runs every hook that it finds without asking whether you trust it.'
    : 'With hooks: the tool reports prompts and permission questions as they come.';

/** @throws {CommandFailure} after a Ctrl-C: thrown in the last step of a launch, it makes the launch remove everything. */
function refuseStopped({ name }: LaunchRequest, signal: AbortSignal): void {
  if (!signal.aborted) return;
  const sentence = `Stopped. The agent ${name} was not launched; nothing of it is left.`;
  throw new CommandFailure(sentence, exitCodes.stopped);
}

/**
 * Does the last step of a launch: when it fails, the programs that run already are ended, and the launch removes the files it
 * made.
 */
async function firstGateway(
  request: LaunchRequest,
  manifest: Manifest,
  paths: SessionPaths,
  requested: GatewaySettings,
  host: AgentHost,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { url } = await attachGateway(paths, requested, host);
    refuseStopped(request, signal);
    return url;
  } catch (error) {
    const tmuxSession = request.tmux ? (manifest.tmux_session_name ?? null) : null;
    // An error here is ignored: the removal of the rest reports the same obstacle.
    await endAgent({ name: request.name, paths, tmuxSession, registration: null }, host).catch(
      () => undefined,
    );
    if (!(error instanceof LaunchFault || error instanceof TmuxFault)) throw error;
    throw new CommandFailure(
      `${error.message}\nIts gateway did not start, so the agent ${request.name} was not launched; nothing of it is left.`,
      exitCodes.failed,
      { errorCode: 'gateway_not_started' },
    );
  }
}

/**
 * `agents stop`: ends turn, gateway, tmux session and registry record; the session root stays. If a server of this host has the
 * agent, the server does it, since it keeps records of its own.
 */
export async function stopAgent(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const here = flags.server === undefined ? knownAgent(name, host) : null;
  for (const line of here === null ? [] : await endedWork(here, host, 'agent')) output.progress(line);
  const atServer =
    flags.server === undefined ? await sameAtServer(name, host) : await requireAtServer(name, flags, host);
  if (atServer) return stopAtServer(atServer, name, output);
  const agent = registeredAgent(name, host);
  output.progress(`Stopping ${unprefixedName(agent.name)}`);
  const stopped = await stop(agent, host);
  const kept = hasSessionFiles(agent) ? ` Its files stay in ${agent.paths.root}` : '';
  output.result(
    {
      agent_name: agent.name,
      gateway_stopped: stopped.gatewayStopped,
      tmux_stopped: stopped.tmuxStopped,
      session_root: agent.paths.root,
      tmux_stays: stopped.tmuxStays,
      left_undone: stopped.leftUndone,
    },
    [
      `Stopped ${unprefixedName(agent.name)}.${kept}`,
      ...(stopped.tmuxStays === null ? [] : [stopped.tmuxStays]),
    ],
  );
  refuseLeftUndone(stopped.leftUndone);
}

/** Finds the agent of that name at a server of this host. If the registry knows the name, it must be the same session. */
async function sameAtServer(name: string, host: AgentHost): Promise<AgentAtServer | null> {
  const known = knownAgent(name, host);
  const found = await agentAtServer(known?.record.agent_id ?? name, {}, host);
  return known && found?.identity.manifest_path !== known.paths.manifest ? null : found;
}

/** The timeout of a stop: a turn has five seconds to end, and gateway and tmux need their own time. */
const stopMilliseconds = 60_000;

/**
 * `agents stop` through a managed-agent server, which removes the agent from its records. @throws {CommandFailure} when the
 * server refuses or does not answer.
 */
async function stopAtServer(
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
