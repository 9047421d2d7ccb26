import { createGatewayClient, type GatewayClient, type Schemas } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { attachGateway } from '../../launch/attach-gateway.js';
import { detachGateway } from '../../launch/detach-gateway.js';
import { urlOf } from '../../launch/live-gateway.js';
import { type GatewayFlags, toGatewayWish } from '../flags/gateway-flags.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { statusLines } from '../words/status-words.js';
import type { Output } from '../words/terminal-output.js';
import { findAgent, gatewayOf, lookForGateway, withoutGateway } from './find-agent.js';

/** `agents gateway attach`. */
export async function attach(
  name: string,
  flags: GatewayFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const agent = findAgent(name, host);
  output.progress(`Starting the gateway of ${agent.name}`);
  const attached = await attachGateway(agent.paths, toGatewayWish(flags), host);
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
export async function detach(name: string, host: AgentHost, output: Output): Promise<void> {
  const agent = findAgent(name, host);
  const { stopped, leftUndone } = await detachGateway(agent.paths, host);
  output.result({ agent_name: agent.name, stopped, left_undone: leftUndone }, [
    stopped ? `Stopped the gateway of ${agent.name}.` : `No gateway was running for ${agent.name}.`,
    ...leftUndone,
  ]);
}

/** `agents gateway status`: the axes, the queue, and what blocks it, in plain words. */
export async function status(name: string, host: AgentHost, output: Output): Promise<void> {
  const agent = findAgent(name, host);
  const sight = await lookForGateway(agent, host);
  if (sight.state === 'absent' || sight.state === 'silent') throw withoutGateway(name, agent, sight);
  const { instance } = sight;
  const client = createGatewayClient({ baseUrl: urlOf(instance) });
  const axes = await client.getStatus();
  const queue = await client.getQueue();
  const next = await nextRequest(client, queue);
  const turn = await runningTurn(client, axes);
  const terminal = axes.backend === 'local_interactive' ? await client.getTuiState().catch(() => null) : null;
  const view = { axes, queue, turn, next, terminal, name };
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
      index === 0 ? output.pastable(`${agent.name} at ${urlOf(instance)}: ${line}`) : line,
    ),
  );
}

/** The request may have begun or been cancelled in the meantime. */
async function nextRequest(
  client: GatewayClient,
  { next_request_id }: Schemas['QueueState'],
): Promise<Schemas['RequestRecord'] | null> {
  if (next_request_id === null) return null;
  const record = await client.getRequest({ path: { request_id: next_request_id } }).catch(() => null);
  return record?.state === 'accepted' ? record : null;
}

/** The turn that holds the agent; null where none does, and where no answer names it. */
async function runningTurn(
  client: GatewayClient,
  { backend, active_execution }: Schemas['GatewayStatus'],
): Promise<Schemas['TurnRecord'] | null> {
  if (active_execution !== 'running') return null;
  if (backend === 'local_interactive') return turnOfRequest(client);
  const state = await client.getHeadlessState().catch(() => null);
  if (!state?.active_turn_id || state.active_execution !== 'running') return null;
  return client.getTurn({ path: { turn_id: state.active_turn_id } }).catch(() => null);
}

/** Of an agent in a terminal only requests name their turns. One that is completed has its turn going on. */
async function turnOfRequest(client: GatewayClient): Promise<Schemas['TurnRecord'] | null> {
  for (const state of ['running', 'completed'] as const) {
    const page = await client.listRequests({ query: { state, limit: 50 } }).catch(() => null);
    const turn = page?.requests.find((request) => request.turn?.state === 'running')?.turn;
    if (turn) return turn;
  }
  return null;
}

/** `agents gateway pause` and `resume`. */
export async function setPaused(
  name: string,
  paused: boolean,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayOf(name, host);
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
  host: AgentHost,
  output: Output,
): Promise<void> {
  if (Boolean(flags.adopt) === Boolean(flags.discard))
    throw new CommandFailure(
      'Say either --adopt (run what waits) or --discard (cancel it).',
      exitCodes.usage,
    );
  const client = await gatewayOf(name, host);
  const waiting = await client.listRequests({ query: { state: 'accepted', limit: 200 } });
  output.progress(`${waiting.requests.length}${waiting.next_cursor ? ' or more' : ''} request(s) wait:`);
  for (const request of waiting.requests)
    output.progress(`  ${request.request_id}  ${request.prompt_preview ?? request.request_kind}`);
  const settled = await client.reconcile({ body: { action: flags.adopt ? 'adopt' : 'discard' } });
  output.result(settled, [
    `Adopted ${settled.adopted}, discarded ${settled.discarded}; admission is open (epoch ${settled.managed_agent_instance_epoch}).`,
  ]);
}
