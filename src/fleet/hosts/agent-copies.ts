import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import type { KvEntry } from '@nats-io/kv';
import { onAbort } from '../../foundation/concurrency.js';
import { tokenOf } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { type AgentCopy, byHost } from './agent-list.js';
import { namesOf } from './agent-place.js';
import type { HostLeases } from './host-leases.js';

const keyOf = (host: string, trackedAgentId: string): string => `${host}.${tokenOf(trackedAgentId)}`;

/** The agents of all hosts, as they say they are. Copies: the truth is on each host. What is known stays when the connection is lost. */
export class AgentCopies {
  readonly #host: string;
  readonly #leases: Pick<HostLeases, 'keep' | 'of'>;
  readonly #copies = new Map<string, AgentCopy>();
  /** Those of other hosts in their order; null where it has to be made. */
  #others: readonly AgentCopy[] | null = null;
  /** The agents of this host by key, as they were last published in this session. */
  #own: ReadonlyMap<string, string> | null = null;

  constructor(host: string, leases: Pick<HostLeases, 'keep' | 'of'>) {
    this.#host = host;
    this.#leases = leases;
  }

  /** Returns the agents of other hosts, in the order of {@link byHost}. */
  others(): readonly AgentCopy[] {
    this.#others ??= [...this.#copies.values()].filter(({ host }) => host !== this.#host).sort(byHost);
    return this.#others;
  }

  /** Returns the agents of all hosts, in the order of {@link byHost}. @param own those of this host, as it sees them itself */
  with(own: readonly Omit<AgentCopy, 'version' | 'host'>[]): readonly AgentCopy[] {
    const others = this.others();
    const found = others.findIndex(({ host }) => host > this.#host);
    const at = found === -1 ? others.length : found;
    const copies = own.map((agent): AgentCopy => ({ version: 1, host: this.#host, ...agent }));
    return [...others.slice(0, at), ...copies.sort(byHost), ...others.slice(at)];
  }

  /** Returns the epoch of an agent as its host published it; null where it is not known. @param reference without a host */
  epochOf(host: string, reference: string): number | null {
    const found = this.others().filter((copy) => copy.host === host && namesOf(copy).includes(reference));
    return found.length === 1 ? (found[0]?.epoch ?? null) : null;
  }

  /**
   * Follows the agents of all hosts, until the session ends.
   * @param complete called when all agents are known that were there when the session began
   */
  async listen(
    { agents, ended }: Pick<FleetSession, 'agents' | 'ended'>,
    complete: () => void,
  ): Promise<void> {
    // Agents that were removed while this host was away are not named: the copies begin again.
    const fresh = new Set<string>();
    let isFresh = false;
    const beFresh = (): void => {
      isFresh = true;
      for (const key of this.#copies.keys()) if (!fresh.has(key)) this.#forget(key);
      complete();
    };
    const entries = await agents.watch();
    const stop = (): void => entries.stop();
    const letGo = onAbort(ended, stop);
    // An empty bucket has no last entry (nats.js#270).
    if ((await agents.status()).values === 0) beFresh();
    for await (const entry of entries) {
      if (!isFresh) fresh.add(entry.key);
      this.#hear(entry);
      if (!isFresh && (entry.isUpdate || entry.delta === 0)) beFresh();
      const isStale =
        this.#own !== null && entry.operation === 'PUT' && entry.key.startsWith(`${this.#host}.`);
      if (isStale && !this.#own?.has(entry.key)) await agents.purge(entry.key);
    }
    letGo();
    if (!ended.aborted) throw new Error('the watch of the agents has ended');
  }

  /** Publishes the agents of this host, and each change of them, until the session ends. */
  async publish(
    session: Pick<FleetSession, 'agents' | 'leases' | 'ended'>,
    client: Pick<HoumaoClient, 'overview' | 'listAgents'>,
  ): Promise<void> {
    const { agents, ended } = session;
    this.#own = null;
    const published = new Map<string, string>();
    for await (const { agents: seen } of client.overview({ signal: ended })) {
      const identities = await client.listAgents({ signal: ended });
      await this.#leases.keep(
        session,
        identities.agents.map(({ tracked_agent_id, runtime_session_id }) => ({
          trackedAgentId: tracked_agent_id,
          sessionId: runtime_session_id,
        })),
      );
      const now = new Map(seen.map((agent) => this.#copy(agent, identities.agents)));
      this.#own = now;
      for (const [key, text] of now) {
        if (published.get(key) === text) continue;
        await agents.put(key, text);
        published.set(key, text);
      }
      for (const key of [...published.keys(), ...this.#ownKeys()])
        if (!now.has(key)) {
          await agents.purge(key);
          published.delete(key);
          this.#forget(key);
        }
    }
  }

  #ownKeys(): string[] {
    return [...this.#copies.keys()].filter((key) => key.startsWith(`${this.#host}.`));
  }

  #copy(
    { tracked_agent_id, agent_name, tool, transport, state, detail }: Schemas['AgentOverview'],
    identities: readonly Schemas['AgentIdentity'][],
  ): [string, string] {
    const agent_id = identities.find((one) => one.tracked_agent_id === tracked_agent_id)?.agent_id ?? null;
    const names = { tracked_agent_id, agent_name, agent_id };
    const lease = this.#leases.of(tracked_agent_id);
    const copy: AgentCopy = {
      version: 1,
      host: this.#host,
      ...names,
      tool,
      transport,
      state,
      detail: lease?.kind === 'theirs' ? `It is one of host ${lease.host} since ${lease.sinceUtc}` : detail,
      ...(lease?.kind === 'ours' && { epoch: lease.epoch }),
    };
    return [keyOf(this.#host, tracked_agent_id), JSON.stringify(copy)];
  }

  #hear(entry: KvEntry): void {
    const copy = entry.operation === 'PUT' ? copyOf(entry.string()) : null;
    if (copy === null) this.#forget(entry.key);
    else {
      this.#others = null;
      this.#copies.set(entry.key, copy);
    }
  }

  #forget(key: string): void {
    if (this.#copies.delete(key)) this.#others = null;
  }
}

/** @returns null for a record of another shape, such as a later version's. */
function copyOf(text: string): AgentCopy | null {
  try {
    const value = JSON.parse(text) as AgentCopy;
    return value.version === 1 && typeof value.host === 'string' ? value : null;
  } catch {
    return null;
  }
}
