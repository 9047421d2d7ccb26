import { createGatewayClient, type Schemas } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { detachGateway } from '../../launch/detach-gateway.js';
import { urlOf } from '../../launch/live-gateway.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { unlessMissing } from '../words/call-failure.js';
import { CommandFailure, exitCodes, refuseLeftUndone } from '../words/command-failure.js';
import { reconciledWords, waitingLines } from '../words/request-words.js';
import { statusLines } from '../words/status-words.js';
import type { Output } from '../words/terminal-output.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { detachAtServer, noGatewayAtServer } from './at-server/gateway-at-server.js';
import { endedFlags } from './ended-flags.js';
import { endedWork, endedWorkOf } from './ended-work.js';
import { findAgent, lookForGateway, withoutGateway } from './find-agent.js';
import { type GatewayCalls, gatewayBy } from './gateway-by.js';
import { runningTurn } from './running-turn.js';

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

/** `agents gateway status`: the axes, the queue, and what blocks it, in plain words. */
export async function status(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const server = serverFlagWords(flags);
  const { client, agentName, url, told } = await (flags.server === undefined
    ? here(name, host)
    : atServer(name, flags, host));
  const axes = await client.getStatus();
  if (axes.gateway_health === 'not_attached') throw noGatewayAtServer(name, server);
  const queue = await unlessMissing(client.getQueue());
  const next = queue && (await nextRequest(client, queue));
  const turn = await runningTurn(client, axes);
  const terminal = axes.backend === 'local_interactive' ? await client.getTuiState().catch(() => null) : null;
  const view = { axes, queue, turn, next, terminal, name, server };
  output.result(
    { agent_name: agentName, ...told, status: axes, queue, turn, next },
    statusLines(view, output.time).map((line, index) =>
      output.pastable(index === 0 ? `${unprefixedName(agentName)} at ${url}: ${line}` : line),
    ),
  );
}

/** Whom the status is asked of. */
interface Asked {
  readonly client: GatewayCalls;
  readonly agentName: string;
  readonly url: string;
  /** The same address, as programs are told it. */
  readonly told: { readonly gateway_url: string } | { readonly server_url: string };
}

async function here(name: string, host: AgentHost): Promise<Asked> {
  const agent = findAgent(name, host);
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'absent' || sight.state === 'silent') throw withoutGateway(name, agent, sight);
  const url = urlOf(sight.instance);
  const client = createGatewayClient({ baseUrl: url });
  return { client, agentName: agent.name, url, told: { gateway_url: url } };
}

async function atServer(name: string, flags: ServerFlag, host: AgentHost): Promise<Asked> {
  const { url, agent, identity } = await requireAtServer(name, flags, host);
  return { client: agent.gateway, agentName: identity.agent_name ?? name, url, told: { server_url: url } };
}

/** The request may have begun or been cancelled in the meantime. */
async function nextRequest(
  client: GatewayCalls,
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

/** `agents gateway reconcile`: shows what waits, then settles it. */
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
