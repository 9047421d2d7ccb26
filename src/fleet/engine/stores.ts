import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { KV, Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import { buckets, streams } from './layout.js';

const day = 24 * 60 * 60 * 1000;
/** How long the engine keeps what happened, in milliseconds; the hosts have it for longer. */
const eventsKept = 7 * day;
/** How long it is kept how far a command came, in milliseconds. */
const commandsKept = 30 * day;
/** How long it is kept whose an agent is, after a sign of it, in milliseconds. */
const leasesKept = 30 * day;
/** Of one host; a million small events are half a gigabyte. */
const mostEvents = 1_000_000;

type Layout = Pick<StreamConfig, 'name' | 'subjects' | 'retention'> & Partial<StreamConfig>;

const layouts: readonly Layout[] = [
  {
    name: streams.commands,
    subjects: ['houmao.cmd.*.*'],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
  },
  {
    name: streams.events,
    subjects: ['houmao.evt.*'],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(eventsKept),
    max_msgs_per_subject: mostEvents,
    allow_direct: true,
  },
];

/** A stream has the name of one of ours and is none. */
export class OtherLayout extends Error {
  override readonly name = 'OtherLayout';
  constructor(stream: string, difference: string) {
    super(
      `the stream ${stream} is there with ${difference}, so another program or version made it; remove it, or give the fleet an account of its own`,
    );
  }
}

/** Makes the streams that are missing. @throws {OtherLayout} */
export async function prepareStreams(manager: JetStreamManager, replicas: number): Promise<void> {
  for (const layout of layouts) {
    const found = await manager.streams.info(layout.name).catch((error: Error) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return null;
      throw error;
    });
    if (found === null)
      await manager.streams.add({
        ...layout,
        storage: StorageType.File,
        num_replicas: replicas,
        // No host deletes what another one has not read.
        deny_delete: true,
        deny_purge: true,
      });
    else requireLayout(layout, found.config);
  }
}

/** Pure: compares what our work depends on; limits are the operator's. @throws {OtherLayout} */
export function requireLayout(wanted: Layout, found: Pick<StreamConfig, 'subjects' | 'retention'>): void {
  const subjects = [...found.subjects].sort().join(', ');
  if (subjects !== [...wanted.subjects].sort().join(', '))
    throw new OtherLayout(wanted.name, `the subjects ${subjects || '(none)'}`);
  if (found.retention !== wanted.retention)
    throw new OtherLayout(wanted.name, `the retention ${found.retention}`);
}

/** Opens the buckets, and makes those that are missing. */
export async function openBuckets(
  kvm: Kvm,
  replicas: number,
): Promise<{ hosts: KV; agents: KV; leases: KV; commands: KV }> {
  const open = (name: string, ttl?: number): Promise<KV> =>
    kvm.create(name, { history: 1, replicas, storage: StorageType.File, ...(ttl !== undefined && { ttl }) });
  return {
    hosts: await open(buckets.hosts),
    agents: await open(buckets.agents),
    leases: await open(buckets.leases, leasesKept),
    commands: await open(buckets.commands, commandsKept),
  };
}
