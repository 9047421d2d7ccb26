import type { CallLimits } from '../core/operation.js';
import { itemsOf } from '../core/pages.js';
import type { Schemas } from './contract.js';

type RequestRecord = Schemas['RequestRecord'];

/** Which requests; the limits are those of each page. */
export interface RequestsOptions extends CallLimits {
  /** Only requests in this state. */
  state?: Schemas['RequestState'] | undefined;
  /** Only requests whose turn ended in this way. */
  outcome?: Schemas['TurnOutcome'] | undefined;
  /** How many are asked for at a time. Default: the contract's. */
  pageSize?: number | undefined;
}

/**
 * The requests of a gateway, newest first, finished ones included, page by page as they are wanted; those that come meanwhile
 * are not among them. The turns in it carry no answer text.
 *
 * Fails with the errors of `listRequests`, and with `aborted` when your `signal` fires: the list is not complete then.
 *
 * @example
 * ```ts
 * for await (const request of client.requests({ state: 'failed' })) console.log(request.request_id, request.error?.detail);
 * ```
 */
export type Requests = (options?: RequestsOptions) => AsyncGenerator<RequestRecord, void, undefined>;

interface ListCall extends CallLimits {
  query: {
    state?: Schemas['RequestState'] | undefined;
    outcome?: Schemas['TurnOutcome'] | undefined;
    limit?: number | undefined;
    cursor: string | null;
  };
}

/** @param list one page: `listRequests` of the gateway, asked directly or through the server. */
export const createRequests =
  (list: (call: ListCall) => Promise<Schemas['RequestList']>): Requests =>
  ({ state, outcome, pageSize, ...limits } = {}) =>
    itemsOf(async (cursor) => {
      const page = await list({ query: { state, outcome, limit: pageSize, cursor }, ...limits });
      return { items: page.requests, next: page.next_cursor };
    });
