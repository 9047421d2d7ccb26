import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvWatchEntry } from '@nats-io/kv';
import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/concurrency.js';
import type { FleetSession } from '../engine/link.js';
import { HostRefused } from '../engine/link-fault.js';
import {
  beatSeconds,
  type HostPresence,
  type HostRecord,
  presenceOf,
  readHostRecord,
} from './host-record.js';

/** A host as this one knows it. */
export interface KnownHost {
  readonly record: HostRecord;
  readonly presence: HostPresence;
  /** When it was last heard of, by the clock of the engine. */
  readonly heardAt: Date;
  /** How long ago that was, in milliseconds. */
  readonly ageMilliseconds: number;
}

export interface HostBoardParts {
  /** The record of this host, the changing parts aside. */
  readonly own: Omit<HostRecord, 'version' | 'beat_seconds' | 'left'>;
  readonly clock: Clock;
}

interface HeardHost {
  readonly record: HostRecord;
  readonly revision: number;
  readonly heardAt: Date;
  /** Our monotonic clock when it was heard; null where that was before this host listened. */
  readonly monotonic: number | null;
}

/**
 * The hosts of the fleet, as they say they are. No clock of a host counts, which may be wrong: ages are measured from the moment at which
 * this one heard them, and by the engine's clock before that. They stay known when the connection is lost, and their ages grow.
 */
export class HostBoard {
  readonly #parts: HostBoardParts;
  readonly #heard = new Map<string, HeardHost>();
  /** The engine's time at a moment of our monotonic clock. */
  #engineTime: { at: number; monotonic: number } | null = null;
  #revision = 0;

  constructor(parts: HostBoardParts) {
    this.#parts = parts;
  }

  list(): KnownHost[] {
    const { clock } = this.#parts;
    const now = this.engineNow().getTime();
    return [...this.#heard.values()]
      .map(({ record, heardAt, monotonic }) => {
        const age = monotonic === null ? now - heardAt.getTime() : clock.monotonic() - monotonic;
        const ageMilliseconds = Math.max(0, age);
        return { record, heardAt, ageMilliseconds, presence: presenceOf(record, ageMilliseconds) };
      })
      .sort((a, b) => (a.record.host < b.record.host ? -1 : 1));
  }

  /** How often a host of this fleet says that it lives, in seconds: longer the more hosts there are. */
  get beatSeconds(): number {
    return beatSeconds(this.#heard.size);
  }

  find(host: string): KnownHost | null {
    return this.list().find(({ record }) => record.host === host) ?? null;
  }

  /** The names of the other hosts that have not left. */
  others(): string[] {
    return this.list()
      .filter(({ record, presence }) => record.host !== this.#parts.own.host && presence !== 'left')
      .map(({ record }) => record.host);
  }

  /**
   * Takes the name of this host in the fleet.
   * @throws {HostRefused} when another host has it.
   */
  async claim({ hosts, ended }: Pick<FleetSession, 'hosts' | 'ended'>): Promise<void> {
    const { own, clock } = this.#parts;
    const there = await hosts.get(own.host);
    const holder = there && readHostRecord(there);
    if (there && holder && holder.host_id !== own.host_id && !holder.left) {
      await clock.sleep(holder.beat_seconds * 2500, ended);
      const later = await hosts.get(own.host);
      if (ended.aborted) throw new Error('the connection was lost');
      if (later?.revision !== there.revision) throw taken(own.host, holder);
    }
    this.#revision = await this.#write(hosts, there?.revision ?? 0, false);
    const written = await hosts.get(own.host);
    if (written !== null) this.#setEngineTime(written.created);
  }

  /**
   * Shows that this host lives, and hears the others, until the session ends.
   * @param complete called when all hosts are known that were there when the session began. @throws {HostRefused}
   */
  async run(session: Pick<FleetSession, 'hosts' | 'ended'>, complete: () => void): Promise<void> {
    await Promise.all([this.#beat(session), this.#listen(session, complete)]);
  }

  /** Whether the fleet has a host of that name; one that came just now is looked for in the bucket. */
  async isKnown({ hosts }: Pick<FleetSession, 'hosts'>, host: string): Promise<boolean> {
    if (this.#heard.has(host)) return true;
    const entry = await hosts.get(host);
    return entry !== null && readHostRecord(entry) !== null;
  }

  /** Says that this host leaves. */
  async leave({ hosts }: Pick<FleetSession, 'hosts'>): Promise<void> {
    await this.#write(hosts, this.#revision, true);
  }

  async #beat({ hosts, ended }: Pick<FleetSession, 'hosts' | 'ended'>): Promise<void> {
    const { clock, own } = this.#parts;
    while (!ended.aborted) {
      await clock.sleep(this.beatSeconds * 1000, ended);
      if (ended.aborted) return;
      this.#revision = await this.#write(hosts, this.#revision, false);
      // Our own record comes back by the same way as those of others: when it does not, the watch is dead (nats.go#1094).
      const age = this.find(own.host)?.ageMilliseconds ?? 0;
      if (age > this.beatSeconds * 5000) throw new Error('the watch of the hosts went silent');
    }
  }

  async #listen(
    { hosts, ended }: Pick<FleetSession, 'hosts' | 'ended'>,
    complete: () => void,
  ): Promise<void> {
    const entries = await hosts.watch();
    const stop = (): void => entries.stop();
    const letGo = onAbort(ended, stop);
    for await (const entry of entries) {
      this.#hear(entry);
      // The own record is there already, so there is a last one.
      if (entry.isUpdate || entry.delta === 0) complete();
    }
    letGo();
    if (!ended.aborted) throw new Error('the watch of the hosts has ended');
  }

  #hear(entry: KvWatchEntry): void {
    const record = readHostRecord(entry);
    if (record === null) {
      this.#heard.delete(entry.key);
      return;
    }
    const { host } = record;
    const { revision, created: heardAt, isUpdate, delta } = entry;
    const before = this.#heard.get(host);
    const now = this.#parts.clock.monotonic();
    const known = before?.revision === revision ? before.monotonic : null;
    this.#heard.set(host, { record, revision, heardAt, monotonic: isUpdate ? now : known });
    if (isUpdate || delta === 0) this.#setEngineTime(heardAt);
  }

  /** The time by the engine's clock, to which all hosts of the fleet keep; by our own one before the engine was heard of. */
  engineNow(): Date {
    const { clock } = this.#parts;
    if (this.#engineTime === null) return clock.now();
    return new Date(this.#engineTime.at + clock.monotonic() - this.#engineTime.monotonic);
  }

  /** The clock of the engine may be set, too, or be that of another server of it: the latest counts. */
  #setEngineTime(at: Date): void {
    this.#engineTime = { at: at.getTime(), monotonic: this.#parts.clock.monotonic() };
  }

  /**
   * Writes the own record where no other host wrote since.
   * @returns its revision. @throws {HostRefused} when another host did.
   */
  async #write(hosts: KV, after: number, left: boolean): Promise<number> {
    const { own } = this.#parts;
    const record: HostRecord = { version: 1, ...own, beat_seconds: this.beatSeconds, left };
    try {
      return await hosts.put(own.host, JSON.stringify(record), { previousSeq: after });
    } catch (error) {
      if (!isWrongSequence(error)) throw error;
      // An answer of the engine may have been lost: then the record is ours.
      const there = await hosts.get(own.host);
      const holder = there && readHostRecord(there);
      if (there && holder && holder.host_id !== own.host_id) throw taken(own.host, holder);
      return await hosts.put(own.host, JSON.stringify(record), { previousSeq: there?.revision ?? 0 });
    }
  }
}

const taken = (name: string, holder: HostRecord): HostRefused =>
  new HostRefused(
    `the name ${name} is that of another host of this fleet, ${holder.address}, since ${holder.joined_at_utc}; choose another one with --host-name`,
  );

export const isWrongSequence = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);
