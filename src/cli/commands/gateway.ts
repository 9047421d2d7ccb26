import { createGatewayClient, type GatewayClient, type Schemas } from '@houmao/sdk';
import { systemClock } from '../../foundation/clock.js';
import { attachGateway, detachGateway } from '../../launch/gateway-lifecycle.js';
import { liveGateway, urlOf } from '../../launch/live-gateway.js';
import { findAgent, requireGateway } from '../find-agent.js';
import { type GatewayFlags, toGatewayWish } from '../gateway-flags.js';
import { statusLines } from '../status-words.js';
import { CommandFailure, type Output } from '../terminal-output.js';

/** `agents gateway attach`. */
export async function attach(name: string, flags: GatewayFlags, output: Output): Promise<void> {
  const agent = findAgent(name, process.env);
  output.progress(`Starting the gateway of ${agent.name}`);
  const attached = await attachGateway(agent.paths, toGatewayWish(flags), process.env, systemClock);
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
        : `A gateway serves already at ${attached.url}`,
    ],
  );
}

/** `agents gateway detach`. */
export async function detach(name: string, output: Output): Promise<void> {
  const agent = findAgent(name, process.env);
  const stopped = await detachGateway(agent.paths, process.env, systemClock);
  output.result({ agent_name: agent.name, stopped }, [
    stopped ? `Stopped the gateway of ${agent.name}.` : `No gateway was running for ${agent.name}.`,
  ]);
}

/** `agents gateway status`: the axes, the queue, and what blocks it, in plain words. */
export async function status(name: string, output: Output): Promise<void> {
  const agent = findAgent(name, process.env);
  const instance = await liveGateway(agent.paths);
  if (!instance) {
    output.result({ agent_name: agent.name, gateway_url: null, status: null }, [
      `No gateway answers for ${agent.name}. Start one: houmao-mgr agents gateway attach ${name}`,
    ]);
    return;
  }
  const client = createGatewayClient({ baseUrl: urlOf(instance) });
  const axes = await client.getStatus();
  const queue = await client.getQueue();
  const next = await nextRequest(client, queue);
  const turn = await runningTurn(client);
  const view = { axes, queue, turn, next, name };
  output.result(
    {
      agent_name: agent.name,
      gateway_url: urlOf(instance),
      status: axes,
      queue,
      turn,
      next,
    },
    statusLines(view).map((line, index) =>
      index === 0 ? `${agent.name} at ${urlOf(instance)}: ${line}` : line,
    ),
  );
}

/** It may have begun, or been cancelled, meanwhile. */
async function nextRequest(
  client: GatewayClient,
  { next_request_id }: Schemas['QueueState'],
): Promise<Schemas['RequestRecord'] | null> {
  if (next_request_id === null) return null;
  const record = await client.getRequest({ path: { request_id: next_request_id } }).catch(() => null);
  return record?.state === 'accepted' ? record : null;
}

/** The turn that holds the agent, also where it is no request's; null for agents that have no such state. */
async function runningTurn(client: GatewayClient): Promise<Schemas['TurnRecord'] | null> {
  const state = await client.getHeadlessState().catch(() => null);
  if (!state?.active_turn_id || state.active_execution !== 'running') return null;
  return client.getTurn({ path: { turn_id: state.active_turn_id } }).catch(() => null);
}

/** `agents gateway pause` and `resume`. */
export async function setPaused(name: string, paused: boolean, output: Output): Promise<void> {
  const client = createGatewayClient({ baseUrl: await requireGateway(findAgent(name, process.env)) });
  const queue = await client.updateQueue({ body: { paused } });
  output.result(queue, [
    paused
      ? `Paused the queue of ${name}: what waits stays queued until it is resumed.`
      : `The queue of ${name} goes on.`,
  ]);
}

/** `agents gateway reconcile`: shows what waits, then settles it. */
export async function reconcile(
  name: string,
  flags: { adopt?: boolean; discard?: boolean },
  output: Output,
): Promise<void> {
  if (Boolean(flags.adopt) === Boolean(flags.discard))
    throw new CommandFailure('Say either --adopt (run what waits) or --discard (cancel it).');
  const client = createGatewayClient({ baseUrl: await requireGateway(findAgent(name, process.env)) });
  const waiting = await client.listRequests({ query: { state: 'accepted', limit: 200 } });
  output.progress(`${waiting.requests.length}${waiting.next_cursor ? ' or more' : ''} request(s) wait:`);
  for (const request of waiting.requests)
    output.progress(`  ${request.request_id}  ${request.prompt_preview ?? request.request_kind}`);
  const settled = await client.reconcile({ body: { action: flags.adopt ? 'adopt' : 'discard' } });
  output.result(settled, [
    `Adopted ${settled.adopted}, discarded ${settled.discarded}; admission is open (epoch ${settled.managed_agent_instance_epoch}).`,
  ]);
}
