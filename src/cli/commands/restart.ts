import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { attachGateway } from '../../launch/gateway-attachment.js';
import { type BroughtBack, restartAgent as bringBack, type RestartStep } from '../../launch/restart-agent.js';
import { readManifest } from '../../session/manifest.js';
import { type GatewayFlags, requestedGateway } from '../flags/gateway-flags.js';
import type { CommandResult, Output } from '../words/terminal-output.js';
import { firstStanding } from './agents.js';
import { findAgent } from './find-agent.js';
import { sayStart } from './gateway.js';

export interface RestartFlags extends GatewayFlags {
  gateway: boolean;
}

/**
 * `agents restart`: brings an agent back after a reboot, or another end of tmux, tool or gateway. Queue, mailbox, files and
 * name are the earlier ones; programs that still run stay as they are.
 */
export async function restartAgent(
  name: string,
  flags: RestartFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { value, lines } = await broughtBack(name, flags, host, output);
  output.result(value, lines);
}

/** Brings an agent back. @returns the result of `agents restart`, for programs and for people */
export async function broughtBack(
  name: string,
  flags: RestartFlags,
  host: AgentHost,
  output: Output,
): Promise<CommandResult> {
  const agent = findAgent(name, host);
  const { tool } = readManifest(agent.paths.manifest);
  const back = await bringBack(agent.paths, host, (step) =>
    output.progress(stepWords(step, unprefixedName(agent.name), tool)),
  );
  const gateway = flags.gateway
    ? await gatewayAgain(unprefixedName(agent.name), agent.paths, flags, host, output)
    : null;
  const started = back.tool === 'started';
  const state = started ? await firstStanding(gateway?.url ?? null, host.clock, output) : null;
  return {
    value: {
      agent_name: agent.name,
      tmux_session: back.tmux,
      tool: back.tool,
      conversation: back.conversation,
      gateway_url: gateway?.url ?? null,
      gateway: gateway && (gateway.started ? 'started' : 'there'),
      state,
    },
    lines: [
      doneWords(unprefixedName(agent.name), back, gateway?.started ?? false),
      ...(gateway ? [`  gateway  ${gateway.url}`] : []),
      ...(state === null || state === 'ready'
        ? []
        : [
            output.pastable(
              `  see      houmao-mgr agents ${state === 'needs you' ? 'answer' : 'screen'} ${name}`,
            ),
          ]),
    ],
  };
}

async function gatewayAgain(
  name: string,
  paths: Parameters<typeof attachGateway>[0],
  flags: GatewayFlags,
  host: AgentHost,
  output: Output,
) {
  return attachGateway(paths, requestedGateway(flags), host, () => sayStart(name, flags, output));
}

function stepWords(progress: RestartStep, name: string, tool: string): string {
  switch (progress.step) {
    case 'tmux':
      return `Recreating the tmux session ${progress.session}`;
    case 'tool':
      return progress.conversation === null
        ? `Starting ${tool} of ${name} in a new conversation; no earlier one is known`
        : `Starting ${tool} of ${name}, continuing its conversation ${progress.conversation}`;
    case 'new_conversation':
      return `${tool} does not continue ${progress.conversation}; starting a new conversation`;
  }
}

function doneWords(name: string, { tmux, tool }: BroughtBack, gatewayStarted: boolean): string {
  const made = [
    ...(tmux === 'made' ? ['its tmux session'] : []),
    ...(tool === 'started' ? ['its tool'] : []),
    ...(gatewayStarted ? ['its gateway'] : []),
  ];
  return made.length === 0
    ? `Nothing of ${name} is missing; nothing was changed.`
    : `Brought back ${name}: ${made.join(', ')}.`;
}
