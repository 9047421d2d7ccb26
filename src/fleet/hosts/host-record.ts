import type { KvEntry } from '@nats-io/kv';

/** The record that a host writes again and again, in the bucket of hosts under its name. */
export interface HostRecord {
  readonly version: 1;
  readonly host: string;
  /** Distinguishes hosts that were given one name; it stays over restarts. */
  readonly host_id: string;
  /** The machine and the process, for people. */
  readonly address: string;
  readonly release: string;
  readonly joined_at_utc: string;
  readonly started_at_utc: string;
  /** How often it says so. */
  readonly beat_seconds: number;
  /** Whether it left on its own account: its server was stopped. */
  readonly left: boolean;
}

/** Reads a record. @returns null when another program, or a later version, wrote it. */
export function readHostRecord(entry: Pick<KvEntry, 'operation' | 'string'>): HostRecord | null {
  if (entry.operation !== 'PUT') return null;
  try {
    const record = JSON.parse(entry.string()) as Partial<HostRecord> | null;
    if (typeof record !== 'object' || record?.version !== 1) return null;
    const texts = [record.host, record.host_id, record.address, record.release];
    const times = [record.joined_at_utc, record.started_at_utc];
    return [...texts, ...times].every((text) => typeof text === 'string') &&
      typeof record.beat_seconds === 'number' &&
      typeof record.left === 'boolean'
      ? (record as HostRecord)
      : null;
  } catch {
    return null;
  }
}

const shortestBeat = 5;
/** How much longer each further host makes the pause, so that a large fleet is not busy with these messages alone. */
const secondsPerHost = 0.02;
/** So many beats may be missing. */
const patience = 3;

/** Pure: returns how often a host shows that it lives, in seconds. */
export const beatSeconds = (hosts: number): number =>
  Math.round((shortestBeat + hosts * secondsPerHost) * 10) / 10;

/** `left`: its server was stopped; `away`: it has not been heard of for some time. */
export type HostPresence = 'online' | 'away' | 'left';

/** Pure: says whether a host is there. @param ageMilliseconds how long ago it was last heard of. */
export function presenceOf(
  { beat_seconds, left }: Pick<HostRecord, 'beat_seconds' | 'left'>,
  ageMilliseconds: number,
): HostPresence {
  if (left) return 'left';
  return ageMilliseconds <= beat_seconds * patience * 1000 ? 'online' : 'away';
}
