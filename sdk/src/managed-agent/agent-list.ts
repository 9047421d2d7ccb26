import type { CallLimits } from '../core/operation.js';
import { itemsOf } from '../core/pages.js';
import type { CallOptions, Schemas } from './contract.js';

type ListQuery = NonNullable<CallOptions<'listAgents'>['query']>;

/** The filters of `listAgents` and the page size; the limits are those of each page. */
export interface AgentListOptions extends Omit<ListQuery, 'limit' | 'cursor'>, CallLimits {
  /** The number of agents per call, 1 to 200. Default: 100. */
  pageSize?: number | undefined;
}

/**
 * The agents of a host, in the order of `listAgents`. Pages are fetched when they are needed: an agent that is there all the time comes
 * exactly once, whichever others come and go. With `with: 'standing'` each has in `standing` how it stood when its page was made.
 *
 * Fails with the errors of `listAgents`, and with `aborted` when your `signal` fires: the list is then incomplete.
 *
 * @example
 * ```ts
 * for await (const { agent_name, standing } of client.everyAgent({ state: 'needs_person', with: 'standing' }))
 *   console.log(agent_name, standing?.question);
 * ```
 */
export type AgentLists = (
  options?: AgentListOptions,
) => AsyncGenerator<Schemas['AgentIdentity'], void, undefined>;

/** @param list fetches one page: `listAgents`. */
export const createAgentList =
  (list: (call: CallOptions<'listAgents'>) => Promise<Schemas['AgentList']>): AgentLists =>
  ({ pageSize = 100, signal, timeoutMs, maxRetries, ...filters } = {}) =>
    itemsOf(async (cursor) => {
      const query = { ...filters, limit: pageSize, cursor };
      const { agents, next_cursor = null } = await list({ query, signal, timeoutMs, maxRetries });
      return { items: agents, next: next_cursor };
    });
