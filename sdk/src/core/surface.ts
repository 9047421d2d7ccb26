import type { CallError, CallErrorFields } from './call-error.js';
import type { LogSurroundings } from './log.js';
import type { IdOf, OperationsShape, Route, RouteTable } from './operation.js';

/** Where a client runs: what it finds there that its caller did not say. */
export interface Environment {
  /** The token for an address; null where none is known. */
  readonly findToken: (baseUrl: string) => Promise<string | null>;
  /** Whether the platform's proxy variables hold for these calls. */
  readonly obeysProxyVariables: () => boolean;
  /** Its name and version for the `User-Agent`, such as `node 20.20.0`; null where calls must not name themselves. */
  readonly runtime: string | null;
  /** What a `fetch` means that rejected with that reason. */
  readonly readFailure: (reason: unknown, baseUrl: string) => FailedFetch;
  readonly log: LogSurroundings;
}

/** Why a `fetch` brought no answer. */
export interface FailedFetch {
  /** As the end of a sentence and what else is to be said. */
  readonly words: string;
  /** Whether it failed before there was a connection, so that nothing was sent. */
  readonly isUnreached: boolean;
  /** Whether it is the address itself that cannot be called, so that no repeat helps. Default: false. */
  readonly isHopeless?: boolean;
}

/** All that the core has to know of a contract beside its types. */
export interface Surface<
  Paths extends object,
  Operations extends OperationsShape<Operations>,
  Code extends string = string,
> {
  /** Who serves it, in a word for people: an answer may be "not a gateway's". */
  readonly servedBy: string;
  /** Of the SDK, and of its contract with its name: `gateway 1.0.0`. */
  readonly version: { readonly sdk: string; readonly contract: string };
  /** Who answers with that health and is another, as the end of a sentence; null for this surface's, undefined for a stranger. */
  readonly foreign: (health: unknown) => string | null | undefined;
  readonly routes: RouteTable<Paths, Operations>;
  /** The class of its errors. */
  readonly Failure: new (
    fields: CallErrorFields<IdOf<Operations>, Code>,
  ) => CallError<IdOf<Operations>, Code>;
  readonly environment: Environment;
}

/** Any surface, its types taken away: the inside of the core. */
export interface AnySurface {
  readonly servedBy: string;
  readonly version: { readonly sdk: string; readonly contract: string };
  readonly foreign: (health: unknown) => string | null | undefined;
  readonly routes: Readonly<Record<string, Route>>;
  readonly Failure: new (fields: CallErrorFields) => CallError;
  readonly environment: Environment;
}
