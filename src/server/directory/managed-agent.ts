/** One agent of this host, as the directory knows it. What is not known is null. */
export interface ManagedAgent {
  /** A TUI agent's session name, a headless agent's runtime session id. */
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  /** TUI only. */
  readonly sessionName: string | null;
  /** TUI only: 8 hexadecimal digits. */
  readonly terminalId: string | null;
  readonly runtimeSessionId: string | null;
  readonly tmuxSessionName: string | null;
  readonly tmuxWindowName: string | null;
  /** Absolute. */
  readonly manifestPath: string | null;
  /** Absolute. */
  readonly sessionRoot: string | null;
  readonly agentName: string | null;
  readonly agentId: string | null;
}

/** What a reference in a path leads to. */
export type Resolution =
  | { readonly kind: 'one'; readonly agent: ManagedAgent }
  | { readonly kind: 'none' }
  /** The reference is blank. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'ambiguous'; readonly agents: readonly ManagedAgent[] };
