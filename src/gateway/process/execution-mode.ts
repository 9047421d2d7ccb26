import { BadEnvironment } from '../../foundation/bad-environment.js';
import type { ExecutionMode, WindowPlace } from '../../session/gateway-place.js';

const windowVariables = {
  tmuxWindowId: 'HOUMAO_GATEWAY_TMUX_WINDOW_ID',
  tmuxWindowIndex: 'HOUMAO_GATEWAY_TMUX_WINDOW_INDEX',
  tmuxPaneId: 'HOUMAO_GATEWAY_TMUX_PANE_ID',
} as const;

/** How a gateway runs, according to its environment. @throws {BadEnvironment} */
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
