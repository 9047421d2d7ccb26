import type { Schemas } from '@houmao/sdk';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { FoundAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import type { GatewaySight } from '../../launch/live-gateway.js';
import type { Manifest } from '../../session/manifest-schema.js';

/** What a look at one thing has shown. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do; null where nothing has to be done, or the detail says it. */
  remedy: string | null;
}

/** What a check says of the thing it is named after. */
export type Shown = Omit<Finding, 'check'>;

/** Whom the doctor looks at. */
export interface Patient {
  readonly agent: FoundAgent;
  /** The agent, as the operator named it. */
  readonly name: string;
  readonly host: AgentHost;
  readonly sight: GatewaySight;
  /** A gateway is there, if only for others than this caller, or one that hangs: lock, port and queue are its own. */
  readonly isTaken: boolean;
  /** What the gateway itself says; null where it says nothing. */
  readonly said: GatewayWord | null;
  /** The agent as it is seen from here; the look is taken once. */
  readonly look: () => Promise<AgentSeen>;
}

export interface GatewayWord {
  readonly axes: Schemas['GatewayStatus'];
  /** Null of a gateway of the older implementation, which does not tell of it. */
  readonly queue: Schemas['QueueState'] | null;
}

export interface AgentSeen {
  readonly manifest: Manifest;
  readonly connected: boolean;
  readonly detail: string | null;
  readonly terminal: AgentTerminal | null;
}

export const ok = (detail: string): Shown => ({ state: 'ok', detail, remedy: null });
export const warning = (detail: string, remedy: string): Shown => ({ state: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string | null): Shown => ({
  state: 'failed',
  detail,
  remedy,
});
