import type { GatewaySight } from './find-gateway.js';
import type { PublishedAgent, UnusableRecord } from './registry.js';

/** An agent of the registry, and the state of its gateway. */
export interface SeenAgent
  extends Pick<PublishedAgent, 'agentName' | 'agentId' | 'sessionRoot' | 'leaseExpired'> {
  /**
   * `serving`: its gateway answers; `refusing`: it refuses this caller; `silent`: it does not answer, or no longer; `absent`:
   * there is none.
   */
  readonly gateway: GatewaySight['state'];
  /** The result of the check of the gateway, in words; null when `gateway` says all. */
  readonly detail: string | null;
}

/** The reason why no gateway of an agent was found, as a code to branch on. */
export type ConnectErrorCode =
  | 'unknown_agent'
  | 'ambiguous_agent'
  | 'no_gateway'
  | 'gateway_silent'
  | 'gateway_refuses'
  | 'registry_unreadable';

export interface ConnectFailedFields {
  readonly errorCode: ConnectErrorCode;
  readonly detail: string;
  readonly folder: string;
  readonly seen: readonly SeenAgent[];
  readonly unusable: readonly UnusableRecord[];
}

/** Thrown when `connect` found no gateway for a name. Nothing was sent to any agent. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly errorCode: ConnectErrorCode;
  /** Sentences for people: the name that was looked up, the agents there are, and what to do. */
  readonly detail: string;
  /** The folder of the registry's records. */
  readonly folder: string;
  /** Every agent in that folder, by name. */
  readonly seen: readonly SeenAgent[];
  /** The records in that folder that cannot be used. */
  readonly unusable: readonly UnusableRecord[];

  constructor({ errorCode, detail, folder, seen, unusable }: ConnectFailedFields) {
    super(detail);
    this.errorCode = errorCode;
    this.detail = detail;
    this.folder = folder;
    this.seen = seen;
    this.unusable = unusable;
  }
}
