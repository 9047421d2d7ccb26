import type { GatewaySight } from './look-for-gateway.js';
import type { RegistryRecord, UnusableRecord } from './registry.js';

/** A record that was seen, and how the gateway of its agent stands. */
export interface SeenAgent
  extends Pick<RegistryRecord, 'agentName' | 'agentId' | 'sessionRoot' | 'leaseExpired'> {
  /** `serving`: its gateway answers; `refusing`: not to this caller; `silent`: no longer or not now; `absent`: there is none. */
  readonly gateway: GatewaySight['state'];
  /** What a look at the gateway showed, in words; null where `gateway` says all. */
  readonly detail: string | null;
}

/** Why an agent's gateway was not found, as a word to branch on. */
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

/** `connect` found no gateway for a name. Nothing was sent to any agent. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly errorCode: ConnectErrorCode;
  /** Sentences for people: what was looked for, what is there, and what to do. */
  readonly detail: string;
  /** The folder of the registry's records. */
  readonly folder: string;
  /** Every agent in it, by name. */
  readonly seen: readonly SeenAgent[];
  /** The records in it that cannot be used. */
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
