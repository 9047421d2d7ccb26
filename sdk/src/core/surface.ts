import type { CallError, CallErrorFields } from './call-error.js';
import type { Deed } from './deed.js';
import type { IdOf, OperationsShape, Route, RouteTable } from './operation.js';

/** Where a client runs: what it finds there that its caller did not say. */
export interface Environment {
  /** The token for an address; null where none is known. */
  readonly findToken: (baseUrl: string) => Promise<string | null>;
  /** Whether the platform's proxy variables hold for these calls. */
  readonly obeysProxyVariables: () => boolean;
}

/** All that the core has to know of a contract beside its types. */
export interface Surface<
  Paths extends object,
  Operations extends OperationsShape<Operations>,
  Code extends string = string,
> {
  /** Who serves it, in a word for people: an answer may be "not a gateway's". */
  readonly servedBy: string;
  readonly routes: RouteTable<Paths, Operations>;
  /** What calls with an Idempotency-Key do, in a word for people; `done` for the others. */
  readonly deeds: Readonly<Partial<Record<IdOf<Operations>, Deed>>>;
  /** The class of its errors. */
  readonly Failure: new (
    fields: CallErrorFields<IdOf<Operations>, Code>,
  ) => CallError<IdOf<Operations>, Code>;
  readonly environment: Environment;
}

/** Any surface, its types taken away: the inside of the core. */
export interface AnySurface {
  readonly servedBy: string;
  readonly routes: Readonly<Record<string, Route>>;
  readonly deeds: Readonly<Record<string, Deed | undefined>>;
  readonly Failure: new (fields: CallErrorFields) => CallError;
  readonly environment: Environment;
}
