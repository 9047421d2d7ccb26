import type { CallLimits } from '../core/operation.js';
import { itemsOf } from '../core/pages.js';
import type { Schemas } from './contract.js';

type RequestRecord = Schemas['RequestRecord'];

/** The filter and the page size of a list of requests; the limits are those of each page. */
export interface RequestsOptions extends CallLimits {
  /** Only requests in this state. */
  state?: Schemas['RequestState'] | undefined;
  /** Only requests whose turn ended in this way. */
  outcome?: Schemas['TurnOutcome'] | undefined;
  /** The number of requests per call. Default: the contract's. */
  pageSize?: number | undefined;
}

/**
 * The requests of a gateway, newest first, finished ones included. Pages are fetched when they are needed; requests that arrive
 * meanwhile are not in the list. The turns in it carry no answer text.
 *
 * Fails with the errors of `listRequests`, and with `aborted` when your `signal` fires: the list is then incomplete.
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

/** @param list fetches one page: `listRequests` of the gateway, called directly or through the server. */
export const createRequests =
  (list: (call: ListCall) => Promise<Schemas['RequestList']>): Requests =>
  ({ state, outcome, pageSize, ...limits } = {}) =>
    itemsOf(async (cursor) => {
      const page = await list({ query: { state, outcome, limit: pageSize, cursor }, ...limits });
      return { items: page.requests, next: page.next_cursor };
    });
