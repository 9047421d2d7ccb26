import { createGatewayClient } from '@houmao/sdk';
import type { FoundAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { attachGateway } from '../../launch/attach-gateway.js';
import { detachGateway } from '../../launch/detach-gateway.js';
import { differencesFrom, runningGateway } from '../../launch/gateway-differences.js';
import { gatewayProcess } from '../../launch/gateway-process.js';
import type { GatewayWish } from '../../launch/gateway-wish.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import { type GatewaySight, urlOf } from '../../launch/live-gateway.js';
import { checkStart } from '../../launch/start-plan.js';
import type { CurrentInstance } from '../../session/current-instance.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { type GatewayFlags, reachAdvice, toGatewayWish } from '../flags/gateway-flags.js';
import type { ServerFlag } from '../flags/server-flag.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { quoted } from '../words/program-name.js';
import type { Output } from '../words/terminal-output.js';
import { requireAtServer } from './at-server/agent-at-server.js';
import { attachAtServer } from './at-server/gateway-at-server.js';
import { endedFlags } from './ended-flags.js';
import { endedWork } from './ended-work.js';
import { findAgent, lookForGateway, withoutGateway } from './find-agent.js';

export interface AttachFlags extends GatewayFlags, ServerFlag {
  restart?: boolean;
}

/** `agents gateway attach`: one that serves otherwise than asked for is not passed over in silence. */
export async function attach(
  name: string,
  flags: AttachFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const wish = toGatewayWish(flags);
  if (flags.server !== undefined)
    return attachAtServer(await requireAtServer(name, flags, host), name, wish.mode, output);
  const agent = findAgent(name, host);
  if (flags.restart) {
    await checkStart(agent.paths, wish, host).catch((error: unknown) => {
      throw leftRunning(agent, error);
    });
    const ended = [
      ...(await endedWork(agent, host, 'gateway')),
      ...(await endedFlags(agent, host, wish.flags)),
    ];
    for (const line of ended) output.progress(line);
    if ((await lookForGateway(agent, host)).state !== 'absent')
      output.progress(`Stopping the gateway of ${unprefixedName(agent.name)}`);
    await detachGateway(agent.paths, host);
  } else await refuseOther(name, agent, wish, host);
  const starting = (): void => sayStart(unprefixedName(agent.name), flags, output);
  const attached = await attachGateway(agent.paths, wish, host, starting).catch((error: unknown) => {
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

/** That a gateway is going to be started, and who will not reach it. */
export function sayStart(
  name: string,
  { host, allowedHost }: Pick<GatewayFlags, 'host' | 'allowedHost'>,
  output: Output,
): void {
  output.progress(`Starting the gateway of ${name}`);
  for (const advice of reachAdvice(host, allowedHost)) output.progress(advice);
}

/** That the gateway serves an agent that it cannot reach, and the way back; nothing for one that it reaches. */
async function lostAgent(baseUrl: string, name: string): Promise<string[]> {
  const { managed_agent_connectivity: reach } = await createGatewayClient({ baseUrl }).getStatus();
  return reach === 'connected'
    ? []
    : [`It cannot reach the agent. Bring the agent back: houmao-mgr agents restart ${name}`];
}

/** A restart that cannot come to anything ends nothing. */
const leftRunning = ({ name }: FoundAgent, error: unknown): unknown =>
  error instanceof LaunchFault || error instanceof TmuxFault
    ? new CommandFailure(
        `${error.message}\nThe gateway of ${unprefixedName(name)} was left as it is.`,
        exitCodes.failed,
        {
          errorCode: 'gateway_not_started',
        },
      )
    : error;

/** What is there after a restart that came to nothing half-way. */
function leftWithout(name: string, agent: FoundAgent, error: unknown): unknown {
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

/** One that stops listens no more, and ends after its turn is handed over; one that starts does not listen yet. */
const settleMilliseconds = 10_000;
const lookMilliseconds = 50;

async function settledSight(agent: FoundAgent, host: AgentHost): Promise<GatewaySight> {
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

/** @throws {CommandFailure} when one runs that hangs, or that is not as it is wished for. */
async function refuseOther(
  name: string,
  agent: FoundAgent,
  wish: GatewayWish,
  host: AgentHost,
): Promise<void> {
  const sight = await settledSight(agent, host);
  if (sight.state === 'absent') return;
  if (sight.state !== 'silent') return refuseDifferent(name, agent, wish, sight.instance);
  if (gatewayProcess(sight.instance.pid, agent.paths)) throw withoutGateway(name, agent, sight);
}

function refuseDifferent(
  name: string,
  { paths }: FoundAgent,
  wish: GatewayWish,
  instance: CurrentInstance,
): void {
  const differences = differencesFrom(wish, runningGateway(instance, paths));
  if (differences.length === 0) return;
  const words = [name, ...flagWords(wish), '--restart'].map(quoted).join(' ');
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

/** The flags that were given. */
const flagWords = ({ host, port, mode, diagnosticLog, flags }: GatewayWish): string[] => [
  ...(host === null ? [] : ['--host', host]),
  ...(port === null ? [] : ['--port', String(port)]),
  ...(mode === null ? [] : [mode === 'detached_process' ? '--background' : '--window']),
  ...(diagnosticLog === null ? [] : [diagnosticLog ? '--diagnostic-log' : '--no-diagnostic-log']),
  ...flags,
];
