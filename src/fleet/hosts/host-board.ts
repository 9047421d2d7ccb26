import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import type { Clock } from '../../foundation/clock.js';
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

/**
 * The hosts of the fleet, as they say they are. Ages are measured by the engine's clock alone: those of hosts may differ.
 * They stay known when the connection is lost, and their ages grow.
 */
export class HostBoard {
  readonly #parts: HostBoardParts;
  readonly #heard = new Map<string, { record: HostRecord; heardAt: Date }>();
  /** The engine's time at a moment of our monotonic clock. */
  #engineTime: { at: number; monotonic: number } | null = null;
  #revision = 0;

  constructor(parts: HostBoardParts) {
    this.#parts = parts;
  }

  list(): KnownHost[] {
    const now = this.#engineNow();
    return [...this.#heard.values()]
      .map(({ record, heardAt }) => {
        const ageMilliseconds = Math.max(0, now - heardAt.getTime());
        return { record, heardAt, ageMilliseconds, presence: presenceOf(record, ageMilliseconds) };
      })
      .sort((a, b) => (a.record.host < b.record.host ? -1 : 1));
  }

  find(host: string): KnownHost | null {
    return this.list().find(({ record }) => record.host === host) ?? null;
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
      await clock.sleep(beatSeconds(this.#heard.size) * 1000, ended);
      if (ended.aborted) return;
      this.#revision = await this.#write(hosts, this.#revision, false);
      // Our own record comes back by the same way as those of others: when it does not, the watch is dead (nats.go#1094).
      const age = this.find(own.host)?.ageMilliseconds ?? 0;
      if (age > beatSeconds(this.#heard.size) * 5000) throw new Error('the watch of the hosts went silent');
    }
  }

  async #listen(
    { hosts, ended }: Pick<FleetSession, 'hosts' | 'ended'>,
    complete: () => void,
  ): Promise<void> {
    const entries = await hosts.watch();
    const stop = (): void => entries.stop();
    ended.addEventListener('abort', stop, { once: true });
    for await (const entry of entries) {
      this.#hear(entry);
      // The own record is there already, so there is a last one.
      if (entry.isUpdate || entry.delta === 0) complete();
    }
    ended.removeEventListener('abort', stop);
    if (!ended.aborted) throw new Error('the watch of the hosts has ended');
  }

  #hear(entry: KvEntry): void {
    const record = readHostRecord(entry);
    if (record === null) {
      this.#heard.delete(entry.key);
      return;
    }
    this.#heard.set(record.host, { record, heardAt: entry.created });
    const now = this.#parts.clock.monotonic();
    // The newest record shows the engine's time best.
    if (this.#engineTime === null || entry.created.getTime() >= this.#engineNow())
      this.#engineTime = { at: entry.created.getTime(), monotonic: now };
  }

  #engineNow(): number {
    const { clock } = this.#parts;
    return this.#engineTime === null
      ? clock.now().getTime()
      : this.#engineTime.at + clock.monotonic() - this.#engineTime.monotonic;
  }

  /**
   * Writes the own record where no other host wrote since.
   * @returns its revision. @throws {HostRefused} when another host did.
   */
  async #write(hosts: KV, after: number, left: boolean): Promise<number> {
    const { own } = this.#parts;
    const record: HostRecord = { version: 1, ...own, beat_seconds: beatSeconds(this.#heard.size), left };
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
