import type { ValidationItem } from './validation-items.js';

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
}

/** Called with requests and their outcome. It must not throw. */
export interface HttpObserver {
  answered(request: AnsweredRequest): void;
  /** Followed by {@link answered}. */
  invalid(request: AnsweredRequest, items: readonly ValidationItem[]): void;
  /** Instead of {@link answered}. @param category the class of what was thrown. */
  failed(request: AnsweredRequest, category: string): void;
}
