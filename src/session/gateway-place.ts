/** How a gateway runs: apart, or in a window of the agent's tmux session. */
export const executionModes = ['detached_process', 'tmux_auxiliary_window'] as const;
export type ExecutionMode = (typeof executionModes)[number];

/** What a gateway may listen on: this machine only, or every network. */
export const listenHosts = ['127.0.0.1', '0.0.0.0'] as const;
export type ListenHost = (typeof listenHosts)[number];

/** The window that a gateway runs in; all null where it runs apart. */
export interface WindowPlace {
  tmuxWindowId: string | null;
  tmuxWindowIndex: string | null;
  tmuxPaneId: string | null;
}

/** Where a running gateway is. The files of a session say so in words of their own. */
export interface GatewayPlace extends WindowPlace {
  host: ListenHost;
  port: number;
  executionMode: ExecutionMode;
}
