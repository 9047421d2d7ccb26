/** What breaks a schema, as the compiled checks tell it. */
export interface BrokenSchema {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Checks a value; one of parameters also makes numbers of texts where the contract has numbers. */
export interface Check {
  (value: unknown): boolean;
  /** Of the last value. */
  readonly errors?: readonly BrokenSchema[] | null;
}

/** One status of an operation. */
export interface ContractAnswer {
  /** Its content type; null for an answer without a body. */
  readonly type: string | null;
  readonly check: Check | null;
  /** The words for a refusal that the contract has at this status. */
  readonly codes: readonly string[];
  readonly examples: readonly unknown[];
  /** The headers that it always has, as the contract's example has them. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ContractOperation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly pathCheck: Check;
  readonly queryCheck: Check;
  readonly headerCheck: Check;
  readonly bodyCheck: Check | null;
  readonly needsBody: boolean;
  readonly answers: Readonly<Record<string, ContractAnswer>>;
}

/** What a fake has of a contract, by operation: the build compiles it (scripts/build/compile-sdk-checks.mjs). */
export type FakeContract = Readonly<Record<string, ContractOperation>>;
