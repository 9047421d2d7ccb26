import { Command } from 'commander';
import { BadEnvironment } from '../../foundation/environment.js';
import { version } from '../../foundation/version.js';
import { addListenerOptions, type ListenerOptions } from '../../http/program/listener-options.js';
import type { ExecutionMode, WindowPlace } from '../../session/current-instance.js';
import { addKeepingOptions, type KeepingOptions } from '../../session/keeping-options.js';
import { addTimingOptions, type TimingOptions } from '../../terminal/tracker/timing-options.js';

export interface GatewayOptions extends ListenerOptions, TimingOptions, KeepingOptions {
  gatewayRoot: string;
}

/** @throws {CommanderError} also for --help and --version; its `exitCode` says which. */
export function parseGatewayOptions(argv: readonly string[]): GatewayOptions {
  const command = new Command('houmao-gateway')
    .description(
      'Serves one agent: a durable prompt queue, prompt control and the agent gateway contract over HTTP.',
    )
    .version(version)
    .requiredOption('--gateway-root <path>', 'the session root, or the gateway folder in it (required)');
  addListenerOptions(command, null)
    .exitOverride()
    .showHelpAfterError('(houmao-gateway --help shows every flag)');
  addKeepingOptions(command, (usual) => `default: what gateway/keeping.json says, else ${usual}`);
  return addTimingOptions(command)
    .parse([...argv], { from: 'user' })
    .opts<GatewayOptions>();
}

const windowVariables = {
  tmuxWindowId: 'HOUMAO_GATEWAY_TMUX_WINDOW_ID',
  tmuxWindowIndex: 'HOUMAO_GATEWAY_TMUX_WINDOW_INDEX',
  tmuxPaneId: 'HOUMAO_GATEWAY_TMUX_PANE_ID',
} as const;

/**
 * Returns how a gateway runs, according to its environment.
 * @throws {BadEnvironment}
 */
export function executionModeOf(environment: NodeJS.ProcessEnv): ExecutionMode {
  const mode = environment.HOUMAO_GATEWAY_EXECUTION_MODE ?? 'detached_process';
  if (mode === 'detached_process') return mode;
  if (mode !== 'tmux_auxiliary_window')
    throw new BadEnvironment(
      `HOUMAO_GATEWAY_EXECUTION_MODE is ${mode}; it must be detached_process or tmux_auxiliary_window`,
    );
  for (const name of Object.values(windowVariables))
    if (!environment[name]) throw new BadEnvironment(`${name} must name the window of this gateway`);
  // Window 0 is the agent's.
  if (environment[windowVariables.tmuxWindowIndex] === '0')
    throw new BadEnvironment(`${windowVariables.tmuxWindowIndex} is 0, which is the window of the agent`);
  return mode;
}

export function windowHandles(mode: ExecutionMode, environment: NodeJS.ProcessEnv): WindowPlace {
  const handle = (name: keyof WindowPlace): string | null =>
    mode === 'tmux_auxiliary_window' ? (environment[windowVariables[name]] ?? null) : null;
  return {
    tmuxWindowId: handle('tmuxWindowId'),
    tmuxWindowIndex: handle('tmuxWindowIndex'),
    tmuxPaneId: handle('tmuxPaneId'),
  };
}
