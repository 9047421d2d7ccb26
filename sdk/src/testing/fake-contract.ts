/** A violation of a schema, as the compiled checks report it. */
export interface BrokenSchema {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Checks a value. A check of parameters also converts texts into numbers where the contract has numbers. */
export interface Check {
  (value: unknown): boolean;
  /** The violations in the last value. */
  readonly errors?: readonly BrokenSchema[] | null;
}

/** One status of an operation. */
export interface ContractAnswer {
  /** Its content type; null for an answer without a body. */
  readonly type: string | null;
  readonly check: Check | null;
  /** The codes of refusals that the contract has at this status. */
  readonly codes: readonly string[];
  readonly examples: readonly unknown[];
  /** The headers that it always has, with the values of the contract's example. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ContractOperation {
  readonly method: string;
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly pathCheck: Check;
  readonly queryCheck: Check;
  readonly headerCheck: Check;
  readonly bodyCheck: Check | null;
  readonly needsBody: boolean;
  readonly answers: Readonly<Record<string, ContractAnswer>>;
}

/** The part of a contract that a fake needs, by operation; the build compiles it (scripts/build/compile-sdk-checks.mjs). */
export type FakeContract = Readonly<Record<string, ContractOperation>>;
