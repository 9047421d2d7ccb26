import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
  type PubAck,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { onAbort } from '../../foundation/concurrency.js';
import { hostConsumer } from './layout.js';
import type { FleetSession } from './link.js';

/** A stream whose messages each host takes for itself, one after the other. */
export interface WorkQueue<Value> {
  readonly stream: string;
  readonly host: string;
  /** The subjects of the messages for the host. */
  readonly filter: string;
  /** The name of such a message in a report, such as `command`. */
  readonly thing: string;
  /** The most messages that may be under way: with one, they keep their order; with more, one that waits holds up no other. */
  readonly pending: number;
  /** Reads a message. @returns `newer` for one of a later release; null for one that is none of ours */
  read(data: Uint8Array): Value | 'newer' | null;
  /** Takes a message, and acknowledges it, or says when it is to come again. */
  take(value: Value, message: JsMsg): Promise<void>;
  report(line: string): void;
}

/**
 * Puts a message into such a stream, and returns when the engine has it on disk.
 * @throws {JetStreamApiError} where the engine did not store it; any other error of the engine leaves that open
 */
export const putInQueue = (
  streams: Pick<JetStreamClient, 'publish'>,
  { stream, subject, text, msgID }: { stream: string; subject: string; text: string; msgID?: string },
): Promise<PubAck> =>
  streams.publish(subject, text, {
    expect: { streamName: stream },
    timeout: 5000,
    retries: 2,
    ...(msgID !== undefined && { msgID }),
  });

/** How long the engine waits for an acknowledgement before it sends a message again, in milliseconds. */
const acknowledgeMilliseconds = 30_000;
/** The pause before a message of a later release is looked at again, by a host that may have been upgraded meanwhile. */
const newerMilliseconds = 60_000;

/** Takes the messages for a host until the session ends. */
export async function takeEach<Value>(
  { manager, streams, ended }: Pick<FleetSession, 'manager' | 'streams' | 'ended'>,
  queue: WorkQueue<Value>,
): Promise<void> {
  const { stream, host, filter, thing } = queue;
  const name = hostConsumer(host);
  const known = await manager.consumers.info(stream, name).catch((error: Error) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return null;
    throw error;
  });
  if (known === null)
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: filter,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(acknowledgeMilliseconds),
      max_ack_pending: queue.pending,
    });
  const consumer = await streams.consumers.get(stream, name);
  const messages = await consumer.consume({ max_messages: 1, expires: 30_000, idle_heartbeat: 5000 });
  const stop = (): void => messages.stop();
  const letGo = onAbort(ended, stop);
  const watch = watchPulls(messages, stop);
  for await (const message of messages) {
    const value = queue.read(message.data);
    if (value === null) {
      queue.report(
        `message ${message.seq} of ${stream} on ${message.subject} is no ${thing}, and was put aside`,
      );
      message.term(`no ${thing} of Houmao`);
    } else if (value === 'newer') {
      queue.report(
        `${thing} ${message.seq} of ${stream} is of a later release; upgrade this host, and it takes it`,
      );
      message.nak(newerMilliseconds);
    } else await queue.take(value, message);
  }
  letGo();
  await watch;
  if (!ended.aborted) throw new Error(`${stream} cannot be read any more`);
}

/** A pull that went silent, or whose consumer is gone, ends the session: the next one begins afresh (nats.node#590). */
async function watchPulls(
  messages: { status(): AsyncIterable<{ type: string }> },
  stop: () => void,
): Promise<void> {
  const ends: ReadonlySet<string> = new Set([
    'heartbeats_missed',
    'consumer_not_found',
    'stream_not_found',
    'consumer_deleted',
  ]);
  for await (const { type } of messages.status()) if (ends.has(type)) stop();
}
