import type { GatewayIdentity } from './status/derive-status.js';

export type ExecutionMode = GatewayIdentity['executionMode'];
/** The window of tmux that a gateway runs in; all null where it runs apart. */
export type WindowHandles = Pick<GatewayIdentity, 'tmuxWindowId' | 'tmuxWindowIndex' | 'tmuxPaneId'>;

/** Whoever started the gateway gave it variables that make no sense. */
export class BadEnvironment extends Error {}

const windowVariables = {
  tmuxWindowId: 'HOUMAO_GATEWAY_TMUX_WINDOW_ID',
  tmuxWindowIndex: 'HOUMAO_GATEWAY_TMUX_WINDOW_INDEX',
  tmuxPaneId: 'HOUMAO_GATEWAY_TMUX_PANE_ID',
} as const;

/** How a gateway runs, by its environment (gateway §11.2). @throws {BadEnvironment} */
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

export function windowHandles(mode: ExecutionMode, environment: NodeJS.ProcessEnv): WindowHandles {
  const handle = (name: keyof WindowHandles): string | null =>
    mode === 'tmux_auxiliary_window' ? (environment[windowVariables[name]] ?? null) : null;
  return {
    tmuxWindowId: handle('tmuxWindowId'),
    tmuxWindowIndex: handle('tmuxWindowIndex'),
    tmuxPaneId: handle('tmuxPaneId'),
  };
}
