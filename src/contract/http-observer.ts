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

/** Receives requests and their outcomes. Its methods must not throw. */
export interface HttpObserver {
  answered(request: AnsweredRequest): void;
  /** Reports a request that breaks rules of the contract; a call of {@link answered} follows. */
  invalid(request: AnsweredRequest, items: readonly BrokenRule[]): void;
  /** Reports a request that failed, in place of {@link answered}. @param category the class of the error that was thrown. */
  failed(request: AnsweredRequest, category: string): void;
}
