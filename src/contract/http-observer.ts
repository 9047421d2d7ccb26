import type { BrokenRule } from './validation-items.js';

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
}

/** Called with each answer that was sent. @param operationId null for a call that reached no operation. */
export type AnswerCounter = (operationId: string | null, status: number) => void;

/** A call that is traced, from its operation to the end of its answer. */
export interface TracedCall {
  /** Runs the work of the call, so that everything it does belongs to the call. */
  run<T>(work: () => T): T;
  /** @param status null if no answer was sent. */
  end(status: number | null): void;
}
export interface CallTracer {
  begin(
    operationId: string,
    call: { readonly method: string; readonly path: string; readonly traceParent: string | null },
  ): TracedCall;
}

/** The followers of the calls of a surface, besides its observer; one that is left out costs nothing. */
export interface CallFollowers {
  readonly answered?: AnswerCounter;
  readonly tracer?: CallTracer | null;
}

/** Receives requests and their outcomes. Its methods must not throw. */
export interface HttpObserver {
  answered(request: AnsweredRequest): void;
  /** Reports a request that breaks rules of the contract; a call of {@link answered} follows. */
  invalid(request: AnsweredRequest, items: readonly BrokenRule[]): void;
  /** Reports a request that failed, in place of {@link answered}. @param category the class of the error that was thrown. */
  failed(request: AnsweredRequest, category: string): void;
}
