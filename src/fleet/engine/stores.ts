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
import type { ObjectStore, Objm } from '@nats-io/obj';
import { ClosedConnectionError, nanos } from '@nats-io/transport-node';
import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/concurrency.js';
import { buckets, filesBucket, streams } from './layout.js';

const day = 24 * 60 * 60 * 1000;
/** How long the engine keeps what happened, in milliseconds; the hosts have it for longer. */
const eventsKept = 7 * day;
/** How long it is kept how far a command came, in milliseconds. */
const commandsKept = 30 * day;
/** How long mail and its files wait for their host, in milliseconds; its sender has it for longer, and publishes it again. */
export const mailKept = 7 * day;
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
  {
    name: streams.mail,
    subjects: ['houmao.mail.*.*'],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_age: nanos(mailKept),
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

const isNotFound = (error: Error): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;

/** Makes the streams that are missing. @throws {OtherLayout} */
export async function prepareStreams(manager: JetStreamManager, replicas: number): Promise<void> {
  for (const layout of layouts) {
    const found = await manager.streams.info(layout.name).catch((error: Error) => {
      if (isNotFound(error)) return null;
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

/** Opens the object store, and makes it where it is missing. */
export const openFiles = (objects: Objm, replicas: number): Promise<ObjectStore> =>
  objects.create(filesBucket, { storage: StorageType.File, replicas, ttl: nanos(mailKept) });

/**
 * Reads an object of the store. A workaround: `getBlob` of @nats-io/obj 3.4 never settles once the connection closes while it reads (as
 * ordered consumers did not in nats.go#1885); it can go when test/e2e/fleet/moments.test.ts fails at "still reads".
 * @returns null where it is not there
 * @throws {ClosedConnectionError} once the session ends; other errors are those of NATS
 */
export const readObject = (
  { files, ended }: { files: Pick<ObjectStore, 'getBlob'>; ended: AbortSignal },
  name: string,
): Promise<Uint8Array | null> =>
  new Promise((resolve, reject) => {
    const letGo = onAbort(ended, () => reject(new ClosedConnectionError()));
    files.getBlob(name).then(resolve, reject).finally(letGo);
  });

const names: readonly string[] = [
  ...Object.values(streams),
  ...Object.values(buckets).map((bucket) => `KV_${bucket}`),
  `OBJ_${filesBucket}`,
];

/** A stream or bucket is gone, or is another one of the same name. The message says which. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
  constructor(stream: string) {
    super(`the stream ${stream} was removed from NATS; this host begins again with a new one`);
  }
}

/** Returns the time at which each stream and bucket was made, by name. @throws {StoreLost} */
export async function storesMade(manager: JetStreamManager): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const name of names) {
    const { created } = await manager.streams.info(name).catch((error: Error) => {
      throw isNotFound(error) ? new StoreLost(name) : error;
    });
    made.set(name, created);
  }
  return made;
}

/**
 * Looks now and then whether they are still the same: nothing else says so to a host that only reads one of them, or that has nothing
 * to write. Works until the session ends.
 * @throws {StoreLost}
 */
export async function watchStores(
  { manager, ended }: { manager: JetStreamManager; ended: AbortSignal },
  made: ReadonlyMap<string, string>,
  { clock, seconds }: { clock: Clock; seconds: () => number },
): Promise<void> {
  for (;;) {
    await clock.sleep(seconds() * 1000, ended);
    if (ended.aborted) return;
    const now = await storesMade(manager);
    const other = names.find((name) => now.get(name) !== made.get(name));
    if (other !== undefined) throw new StoreLost(other);
  }
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
