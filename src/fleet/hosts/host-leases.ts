import type { KV, KvEntry } from '@nats-io/kv';
import { type Clock, toSecondStamp } from '../../foundation/clock.js';
import { tokenOf } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { isWrongSequence, type KnownHost } from './host-board.js';

// The host that an agent belongs to. An agent is known by the name of its session, which a copy of its folder has too, so that two hosts
// never drive one agent. The entry of an agent, under that name:
//
//   free ────▶ ours      by creating the entry, of epoch 0; after an earlier one its revision is the epoch
//   ours ────▶ ours      renewed by comparing and setting, and so kept from becoming too old
//   theirs ──▶ ours      by comparing and setting, once its host was not heard of for ten minutes: another epoch
//   ours ────▶ theirs    another host did that while this one was away

/** The entry of an agent. */
export interface LeaseRecord {
  readonly version: 1;
  readonly host: string;
  readonly host_id: string;
  readonly since_utc: string;
  /** The revision by which the host got it, 0 for the first one; null where that is the revision of this very entry. */
  readonly epoch: number | null;
}

/** How this host stands to an agent. */
export type Lease =
  | { readonly kind: 'ours'; readonly epoch: number }
  | { readonly kind: 'theirs'; readonly host: string; readonly sinceUtc: string };

interface SeenLease {
  readonly record: LeaseRecord;
  readonly revision: number;
}

/** How long a host is not heard of until another one may take its agents, in milliseconds. */
export const leaseMilliseconds = 10 * 60_000;
/** How old an entry becomes until it is renewed, in milliseconds: its bucket forgets those of a month. */
const renewMilliseconds = 24 * 60 * 60_000;
/** How often an agent is asked for that is another host's, in milliseconds. */
const lookMilliseconds = 60_000;

/**
 * Pure: says how a host stands to an agent.
 * @param holder the host of the entry as it is known; null where it never was heard of
 * @returns `free` also where another host has lost it
 */
export function leaseOf(
  seen: SeenLease | null,
  ownId: string,
  holder: Pick<KnownHost, 'record' | 'ageMilliseconds'> | null,
): Lease | { readonly kind: 'free' } {
  if (seen === null) return { kind: 'free' };
  const { record, revision } = seen;
  if (record.host_id === ownId) return { kind: 'ours', epoch: record.epoch ?? revision };
  // A name goes to another host only after the first one was silent.
  const isReplaced = holder !== null && holder.record.host_id !== record.host_id;
  const isLost = holder !== null && holder.ageMilliseconds > leaseMilliseconds;
  if (isReplaced || isLost) return { kind: 'free' };
  return { kind: 'theirs', host: record.host, sinceUtc: record.since_utc };
}

/** An agent of this host, as far as its lease is concerned. */
export interface Leased {
  readonly trackedAgentId: string;
  /** The name of its session's folder; without one it has no lease: no copy of it can exist. */
  readonly sessionId: string | null;
}

export interface HostLeaseParts {
  readonly host: string;
  readonly hostId: string;
  readonly holderOf: (host: string) => KnownHost | null;
  readonly clock: Clock;
  report(line: string): void;
}

type Reached = Pick<FleetSession, 'leases' | 'ended'>;

/** The leases of the agents of this host. What is known stays when the connection is lost: such a host goes on as before. */
export class HostLeases {
  readonly #parts: HostLeaseParts;
  readonly #sessions = new Map<string, string>();
  readonly #leases = new Map<string, Lease>();
  #isFresh = true;

  constructor(parts: HostLeaseParts) {
    this.#parts = parts;
  }

  /** Returns the lease of an agent; null where it has none, or nothing is known yet. */
  of(trackedAgentId: string): Lease | null {
    return this.#leases.get(trackedAgentId) ?? null;
  }

  /** Asks for the agents that are another host's again and again, until the session ends. */
  async run(session: Reached): Promise<void> {
    this.#isFresh = true;
    while (!session.ended.aborted) {
      await this.#parts.clock.sleep(lookMilliseconds, session.ended);
      for (const [trackedAgentId, sessionId] of [...this.#sessions]) {
        if (session.ended.aborted) return;
        if (this.#leases.get(trackedAgentId)?.kind !== 'ours')
          await this.#take(session, trackedAgentId, sessionId);
      }
    }
  }

  /** Takes the agents of this host that are new, all of them in a new session, and gives up those that are gone. */
  async keep(session: Reached, agents: readonly Leased[]): Promise<void> {
    const there = new Map(
      agents.flatMap(({ trackedAgentId, sessionId }) =>
        sessionId === null ? [] : [[trackedAgentId, sessionId]],
      ),
    );
    for (const [trackedAgentId, sessionId] of [...this.#sessions])
      if (there.get(trackedAgentId) !== sessionId) await this.#giveUp(session, trackedAgentId, sessionId);
    for (const [trackedAgentId, sessionId] of there)
      if (this.#isFresh || !this.#sessions.has(trackedAgentId))
        await this.#take(session, trackedAgentId, sessionId);
    this.#isFresh = false;
  }

  async #take({ leases, ended }: Reached, trackedAgentId: string, sessionId: string): Promise<void> {
    const { host, hostId, holderOf, clock, report } = this.#parts;
    const before = this.#leases.get(trackedAgentId);
    const key = tokenOf(sessionId);
    this.#sessions.set(trackedAgentId, sessionId);
    while (!ended.aborted) {
      const entry = await leases.get(key);
      const seen = seenLease(entry);
      const lease = leaseOf(seen, hostId, seen && holderOf(seen.record.host));
      if (lease.kind === 'theirs') {
        this.#leases.set(trackedAgentId, lease);
        if (before?.kind !== 'theirs')
          report(
            `agent ${trackedAgentId} is one of host ${lease.host} since ${lease.sinceUtc}: this host gives it no prompts`,
          );
        return;
      }
      const isOld = entry !== null && this.#age(entry) > renewMilliseconds;
      if (lease.kind === 'ours' && !isOld && seen?.record.host === host) {
        this.#leases.set(trackedAgentId, lease);
        return;
      }
      const epoch = lease.kind === 'ours' ? lease.epoch : entry === null ? epochWithoutEntry(before) : null;
      const since_utc = epoch === null || seen === null ? toSecondStamp(clock.now()) : seen.record.since_utc;
      const record: LeaseRecord = { version: 1, host, host_id: hostId, since_utc, epoch };
      const revision = await putAfter(leases, key, record, entry?.revision ?? 0);
      if (revision === null) continue;
      this.#leases.set(trackedAgentId, { kind: 'ours', epoch: epoch ?? revision });
      return;
    }
  }

  async #giveUp({ leases }: Reached, trackedAgentId: string, sessionId: string): Promise<void> {
    const key = tokenOf(sessionId);
    const entry = await leases.get(key);
    const seen = seenLease(entry);
    if (seen?.record.host_id === this.#parts.hostId)
      await leases.delete(key, { previousSeq: seen.revision }).catch((error: unknown) => {
        if (!isWrongSequence(error)) throw error;
      });
    this.#sessions.delete(trackedAgentId);
    this.#leases.delete(trackedAgentId);
  }

  #age({ created }: KvEntry): number {
    return this.#parts.clock.now().getTime() - created.getTime();
  }
}

/**
 * Pure: the epoch of an agent that has no entry, so that no other host took it: it is new, or NATS lost the entry and counts from one
 * again. A prompt from before that is good, and is to be of no earlier epoch.
 */
const epochWithoutEntry = (before: Lease | undefined): number => (before?.kind === 'ours' ? before.epoch : 0);

/** Writes an entry where no other host wrote since. @returns its revision; null when one did. */
async function putAfter(leases: KV, key: string, record: LeaseRecord, after: number): Promise<number | null> {
  try {
    return await leases.put(key, JSON.stringify(record), { previousSeq: after });
  } catch (error) {
    if (isWrongSequence(error)) return null;
    throw error;
  }
}

/** @returns null where there is none, or another program or a later version wrote it. */
function seenLease(entry: KvEntry | null): SeenLease | null {
  if (entry?.operation !== 'PUT') return null;
  try {
    const record = JSON.parse(entry.string()) as Partial<LeaseRecord> | null;
    return record?.version === 1 && typeof record.host === 'string' && typeof record.host_id === 'string'
      ? { record: record as LeaseRecord, revision: entry.revision }
      : null;
  } catch {
    return null;
  }
}
