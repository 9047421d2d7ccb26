import type { CallError, CallErrorFields } from './call-error.js';
import type { LogSurroundings } from './log.js';
import type { IdOf, OperationsShape, Route, RouteTable } from './operation.js';

/** The platform of a client, which supplies the values that the caller did not set. */
export interface Environment {
  /** Finds the token for an address; null when none is known. */
  readonly findToken: (baseUrl: string) => Promise<string | null>;
  /** Returns whether the platform's proxy variables apply to these calls. */
  readonly obeysProxyVariables: () => boolean;
  /** The platform's name and version for the `User-Agent`, such as `node 20.20.0`; null when calls must not name themselves. */
  readonly runtime: string | null;
  /** Explains the reason with which a `fetch` rejected. */
  readonly readFailure: (reason: unknown, baseUrl: string) => FailedFetch;
  readonly log: LogSurroundings;
}

/** The reason why a `fetch` brought no answer. */
export interface FailedFetch {
  /** The end of a sentence, and any further sentences. */
  readonly words: string;
  /** Whether it failed before there was a connection, so that nothing was sent. */
  readonly isUnreached: boolean;
  /** Whether the address itself cannot be called, so that no repeat helps. Default: false. */
  readonly isHopeless?: boolean;
}

/** The facts about a contract, besides its types, that the core needs. */
export interface Surface<
  Paths extends object,
  Operations extends OperationsShape<Operations>,
  Code extends string = string,
> {
  /** The kind of server, in a word for people: an answer may be "not a gateway's". */
  readonly servedBy: string;
  /** The versions of the SDK, and of its contract with its name: `gateway 1.0.0`. */
  readonly version: { readonly sdk: string; readonly contract: string };
  /**
   * Names a different server that gives this health, as the end of a sentence; null for a server of this surface, undefined for
   * an unknown server.
   */
  readonly foreign: (health: unknown) => string | null | undefined;
  readonly routes: RouteTable<Paths, Operations>;
  /** The class of its errors. */
  readonly Failure: new (
    fields: CallErrorFields<IdOf<Operations>, Code>,
  ) => CallError<IdOf<Operations>, Code>;
  readonly environment: Environment;
}

/** Any surface, without its types, as the inside of the core uses it. */
export interface AnySurface {
  readonly servedBy: string;
  readonly version: { readonly sdk: string; readonly contract: string };
  readonly foreign: (health: unknown) => string | null | undefined;
  readonly routes: Readonly<Record<string, Route>>;
  readonly Failure: new (fields: CallErrorFields) => CallError;
  readonly environment: Environment;
}
