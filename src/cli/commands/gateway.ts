import { createGatewayClient, type Schemas } from '@houmao/sdk';
import type { AnyGateway } from '@houmao/sdk/managed-agent';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { attachGateway, detachGateway } from '../../launch/gateway-attachment.js';
import { differencesFrom, type GatewaySettings, runningGateway } from '../../launch/gateway-settings.js';
import { checkStart } from '../../launch/gateway-start.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import { type GatewayProbe, gatewayProcess, urlOf } from '../../launch/live-gateway.js';
import type { CurrentInstance } from '../../session/current-instance.js';
import { keepingFlags } from '../../session/keeping-options.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { type GatewayFlags, reachAdvice, requestedGateway } from '../flags/gateway-flags.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { unlessMissing } from '../words/call-failure.js';
import { CommandFailure, exitCodes, refuseLeftUndone } from '../words/command-failure.js';
import { reconciledWords, waitingLines } from '../words/request-words.js';
import { statusLines } from '../words/status-words.js';
import { type Output, quoted } from '../words/terminal-output.js';
import { noGatewayAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { attachAtServer, detachAtServer } from './at-server/gateway-at-server.js';
import { endedFlags, endedWork, endedWorkOf, runningTurn } from './ended-work.js';
import { findAgent, lookForGateway, withoutGateway } from './find-agent.js';
import { gatewayBy } from './way-to.js';

/** `agents gateway detach`. */
export async function detach(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  if (flags.server !== undefined) {
    const way = await requireAtServer(name, flags, host);
    for (const line of await endedWorkOf(way.agent.gateway, { ending: 'gateway', endsTurn: false }))
      output.progress(line);
    return detachAtServer(way, name, output);
  }
  const agent = findAgent(name, host);
  const ended = [...(await endedWork(agent, host, 'gateway')), ...(await endedFlags(agent, host, []))];
  for (const line of ended) output.progress(line);
  const { stopped, leftUndone } = await detachGateway(agent.paths, host);
  output.result({ agent_name: agent.name, stopped, left_undone: leftUndone }, [
    stopped
      ? `Stopped the gateway of ${unprefixedName(agent.name)}.`
      : `No gateway was running for ${unprefixedName(agent.name)}.`,
  ]);
  refuseLeftUndone(leftUndone);
}

/** `agents gateway status`: prints the axes, the queue, and its obstacles, in plain words. */
export async function status(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const server = serverFlagWords(flags);
  const { client, agentName, url, addressField } = await (flags.server === undefined
    ? here(name, host)
    : atServer(name, flags, host));
  const axes = await client.getStatus();
  if (axes.gateway_health === 'not_attached') throw noGatewayAtServer(name, server);
  const queue = await unlessMissing(client.getQueue());
  const about = await unlessMissing(client.getAbout());
  const next = queue && (await nextRequest(client, queue));
  const turn = await runningTurn(client, axes);
  const terminal = axes.backend === 'local_interactive' ? await client.getTuiState().catch(() => null) : null;
  const view = { axes, queue, about, turn, next, terminal, name, server };
  output.result(
    { agent_name: agentName, ...addressField, status: axes, queue, turn, next, about },
    statusLines(view, output.time).map((line, index) =>
      output.pastable(index === 0 ? `${unprefixedName(agentName)} at ${url}: ${line}` : line),
    ),
  );
}

/** The gateway whose status is read. */
interface StatusSource {
  readonly client: AnyGateway;
  readonly agentName: string;
  readonly url: string;
  /** The same address, as a field for programs. */
  readonly addressField: { readonly gateway_url: string } | { readonly server_url: string };
}

async function here(name: string, host: AgentHost): Promise<StatusSource> {
  const agent = findAgent(name, host);
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'absent' || sight.state === 'silent') throw withoutGateway(name, agent, sight);
  const url = urlOf(sight.instance);
  const client = createGatewayClient({ baseUrl: url });
  return { client, agentName: agent.name, url, addressField: { gateway_url: url } };
}

async function atServer(name: string, flags: ServerFlag, host: AgentHost): Promise<StatusSource> {
  const { url, agent, identity } = await requireAtServer(name, flags, host);
  return {
    client: agent.gateway,
    agentName: identity.agent_name ?? name,
    url,
    addressField: { server_url: url },
  };
}

/** Returns the request that runs next; null also when it has begun or was cancelled meanwhile. */
async function nextRequest(
  client: AnyGateway,
  { next_request_id }: Schemas['QueueState'],
): Promise<Schemas['RequestRecord'] | null> {
  if (next_request_id === null) return null;
  const record = await client.getRequest({ path: { request_id: next_request_id } }).catch(() => null);
  return record?.state === 'accepted' ? record : null;
}

/** `agents gateway pause` and `resume`. */
export async function setPaused(
  name: string,
  paused: boolean,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const queue = await client.updateQueue({ body: { paused } });
  output.result(queue, [
    paused
      ? `Paused the queue of ${name}: waiting requests stay queued until it is resumed.`
      : `Resumed the queue of ${name}.`,
  ]);
}

/** `agents gateway reconcile`: prints the waiting requests, then adopts or discards them. */
export async function reconcile(
  name: string,
  flags: { adopt?: boolean; discard?: boolean } & ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  if (Boolean(flags.adopt) === Boolean(flags.discard))
    throw new CommandFailure(
      'Give either --adopt (run the waiting requests) or --discard (cancel them).',
      exitCodes.usage,
    );
  const client = await gatewayBy(name, flags, host);
  const waiting = await client.listRequests({ query: { state: 'accepted', limit: 200 } });
  for (const line of waitingLines(waiting)) output.progress(line);
  const settled = await client.reconcile({ body: { action: flags.adopt ? 'adopt' : 'discard' } });
  output.result(settled, [reconciledWords(settled)]);
}

export interface AttachFlags extends GatewayFlags, ServerFlag {
  restart?: boolean;
}

/** `agents gateway attach`: starts a gateway, and fails when one with other settings already serves. */
export async function attach(
  name: string,
  flags: AttachFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const requested = requestedGateway(flags);
  if (flags.server !== undefined)
    return attachAtServer(await requireAtServer(name, flags, host), name, requested.mode, output);
  const agent = findAgent(name, host);
  if (flags.restart) {
    await checkStart(agent.paths, requested, host).catch((error: unknown) => {
      throw leftRunning(agent, error);
    });
    const ended = [
      ...(await endedWork(agent, host, 'gateway')),
      ...(await endedFlags(agent, host, [...keptWords(requested), ...requested.flags])),
    ];
    for (const line of ended) output.progress(line);
    if ((await lookForGateway(agent, host)).state !== 'absent')
      output.progress(`Stopping the gateway of ${unprefixedName(agent.name)}`);
    await detachGateway(agent.paths, host);
  } else await refuseOther(name, agent, requested, host);
  const starting = (): void => sayStart(unprefixedName(agent.name), flags, output);
  const attached = await attachGateway(agent.paths, requested, host, starting).catch((error: unknown) => {
    throw flags.restart ? leftWithout(name, agent, error) : error;
  });
  const lost = await lostAgent(attached.url, name);
  output.result(
    {
      agent_name: agent.name,
      gateway_url: attached.url,
      pid: attached.instance.pid,
      started: attached.started,
    },
    [
      attached.started
        ? `The gateway serves at ${attached.url}`
        : `A gateway already serves at ${attached.url}`,
      ...lost.map((line) => output.pastable(line)),
    ],
  );
}

/** Reports that a gateway is about to start, and which callers will not reach it. */
export function sayStart(
  name: string,
  { host, allowedHost }: Pick<GatewayFlags, 'host' | 'allowedHost'>,
  output: Output,
): void {
  output.progress(`Starting the gateway of ${name}`);
  for (const advice of reachAdvice(host, allowedHost)) output.progress(advice);
}

/** Returns a line for a gateway that cannot reach its agent, with the remedy; none when it can. */
async function lostAgent(baseUrl: string, name: string): Promise<string[]> {
  const { managed_agent_connectivity: reach } = await createGatewayClient({ baseUrl }).getStatus();
  return reach === 'connected'
    ? []
    : [`It cannot reach the agent. Bring the agent back: houmao-mgr agents restart ${name}`];
}

/** Returns the failure of a restart that was refused before it ended anything. */
const leftRunning = ({ name }: RegisteredAgent, error: unknown): unknown =>
  error instanceof LaunchFault || error instanceof TmuxFault
    ? new CommandFailure(
        `${error.message}\nThe gateway of ${unprefixedName(name)} was left as it is.`,
        exitCodes.failed,
        {
          errorCode: 'gateway_not_started',
        },
      )
    : error;

/** Returns the failure of a restart that failed half-way, with what is left. */
function leftWithout(name: string, agent: RegisteredAgent, error: unknown): unknown {
  if (!(error instanceof LaunchFault || error instanceof TmuxFault)) return error;
  return new CommandFailure(
    `${error.message}\nThe gateway that ran before is stopped, so ${unprefixedName(agent.name)} has none now.`,
    exitCodes.failed,
    {
      errorCode: 'gateway_not_started',
      remedies: [['start a gateway at the same address', `houmao-mgr agents gateway attach ${name}`]],
    },
  );
}

/**
 * The time for a gateway to settle: one that stops listens no more and ends after its turn is handed over; one that starts does
 * not listen yet.
 */
const settleMilliseconds = 10_000;
const lookMilliseconds = 50;

async function settledSight(agent: RegisteredAgent, host: AgentHost): Promise<GatewayProbe> {
  const until = host.clock.monotonic() + settleMilliseconds;
  for (;;) {
    const sight = await lookForGateway(agent, host);
    const isBetween =
      sight.state === 'silent' &&
      /ECONNREFUSED/.test(sight.detail) &&
      gatewayProcess(sight.instance.pid, agent.paths) !== null;
    if (!isBetween || host.clock.monotonic() >= until) return sight;
    await host.clock.sleep(lookMilliseconds);
  }
}

/** @throws {CommandFailure} when a gateway hangs, or runs with settings other than the requested ones. */
async function refuseOther(
  name: string,
  agent: RegisteredAgent,
  requested: GatewaySettings,
  host: AgentHost,
): Promise<void> {
  const sight = await settledSight(agent, host);
  if (sight.state === 'absent') return;
  if (sight.state !== 'silent') return refuseDifferent(name, agent, requested, sight.instance);
  if (gatewayProcess(sight.instance.pid, agent.paths)) throw withoutGateway(name, agent, sight);
}

function refuseDifferent(
  name: string,
  { paths }: RegisteredAgent,
  requested: GatewaySettings,
  instance: CurrentInstance,
): void {
  const differences = differencesFrom(requested, runningGateway(instance, paths));
  if (differences.length === 0) return;
  const words = [name, ...flagWords(requested), '--restart'].map(quoted).join(' ');
  throw new CommandFailure(
    `A gateway with other settings already serves at ${urlOf(instance)}: ${differences.join('; ')}.`,
    exitCodes.failed,
    {
      errorCode: 'gateway_differs',
      remedies: [
        ['restart it (this ends a running headless turn)', `houmao-mgr agents gateway attach ${words}`],
      ],
    },
  );
}

/** Returns the flags that were given. */
const flagWords = ({ host, port, mode, diagnosticLog, keeping, flags }: GatewaySettings): string[] => [
  ...(host === null ? [] : ['--host', host]),
  ...(port === null ? [] : ['--port', String(port)]),
  ...(mode === null ? [] : [mode === 'detached_process' ? '--background' : '--window']),
  ...(diagnosticLog === null ? [] : [diagnosticLog ? '--diagnostic-log' : '--no-diagnostic-log']),
  ...keptWords({ keeping }),
  ...flags,
];

const keptWords = ({ keeping }: Pick<GatewaySettings, 'keeping'>): string[] =>
  keepingFlags(keeping).flatMap(([, words]) => words);
