import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { systemClock } from '../../foundation/clock.js';
import { attachGateway, detachGateway } from '../../launch/gateway-lifecycle.js';
import { liveGateway, urlOf } from '../../launch/live-gateway.js';
import { findAgent, requireGateway } from '../find-agent.js';
import { type GatewayFlags, toGatewayWish } from '../gateway-flags.js';
import { CommandFailure, type Output, table } from '../terminal-output.js';

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
  const waiting = await client.listRequests({ query: { state: 'accepted', limit: 5 } });
  const running = await client.listRequests({ query: { state: 'running', limit: 5 } });
  output.result(
    {
      agent_name: agent.name,
      gateway_url: urlOf(instance),
      status: axes,
      queue,
      running: running.requests,
      waiting: waiting.requests,
    },
    [
      `${agent.name} at ${urlOf(instance)}: ${inWords(axes, queue)}`,
      '',
      ...table([
        ['connectivity', axes.managed_agent_connectivity],
        ['recovery', axes.managed_agent_recovery],
        ['admission', axes.request_admission],
        ['surface', axes.terminal_surface_eligibility],
        ['execution', axes.active_execution],
        ['queue depth', `${axes.queue_depth}${queue.paused ? ' (paused)' : ''}`],
        ['instance', `${axes.managed_agent_instance_id ?? '-'} (epoch ${axes.managed_agent_instance_epoch})`],
      ]).map((line) => `  ${line}`),
      ...[...running.requests, ...waiting.requests].map(
        (request) =>
          `  ${request.state}  ${request.request_id}  ${request.waiting_reason?.detail ?? request.turn?.turn_id ?? ''}`,
      ),
    ],
  );
}

function inWords(axes: Schemas['GatewayStatus'], { paused, fault }: Schemas['QueueState']): string {
  if (fault) return `${fault.detail} What to do: houmao-mgr agents doctor`;
  if (axes.request_admission === 'blocked_reconciliation')
    return 'the agent was replaced; settle its queue with: agents gateway reconcile';
  if (axes.managed_agent_connectivity !== 'connected') return 'the agent cannot be reached';
  if (paused) return 'the queue is paused; let it go on with: agents gateway resume';
  return axes.active_execution === 'running' ? 'a turn is running' : 'ready for prompts';
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
