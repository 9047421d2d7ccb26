import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../foundation/clock.js';
import { inboxPrefix } from './layout.js';
import { isTimeout, linkFaultOf } from './link-fault.js';
import { authenticatorOf, type FleetSettings } from './settings.js';
import { openBuckets, openFiles, prepareStreams } from './stores.js';

// The connection of a host to its fleet. It is in one of these states:
//
//   connecting   the first try since the start is under way
//   online       connected, and all parts work
//   offline      not connected; it is tried again, less and less often
//   refused      the engine, or a host of the same name, refuses this host; it is tried again too, since the cause may be mended

export type LinkState = { readonly sinceMs: number } & (
  | { readonly kind: 'connecting' | 'online' }
  | { readonly kind: 'offline' | 'refused'; readonly reason: string }
);

/** One connection and everything on it. A lost connection ends it, and the next one is a new session: nothing of the old is repaired. */
export interface FleetSession {
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly hosts: KV;
  readonly agents: KV;
  readonly leases: KV;
  readonly commands: KV;
  readonly files: ObjectStore;
  /** Aborted when the connection is lost, a part fails, or the host leaves. */
  readonly ended: AbortSignal;
  /** Says that this host is in the fleet now. */
  joined(): void;
}

export interface LinkParts {
  readonly settings: FleetSettings;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, so that the hosts of a fleet do not come back all at once. */
  random(): number;
  /** Does the work of a session until it ends. An error ends the session. */
  work(session: FleetSession): Promise<void>;
  /** Called with each change of the state. */
  changed(state: LinkState): void;
}

const firstPauseMilliseconds = 500;
const longestPauseMilliseconds = 30_000;
/** The time that a connection needs to have stood for, so that the pauses begin again with the shortest. */
const steadyMilliseconds = 10_000;
const pingMilliseconds = 5000;

export class FleetLink {
  readonly #parts: LinkParts;
  readonly #stopping = new AbortController();
  #state: LinkState;
  #session: FleetSession | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#state = { kind: 'connecting', sinceMs: parts.clock.now().getTime() };
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The session under way; null while this host is not in the fleet. */
  get session(): FleetSession | null {
    return this.#session;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#parts;
    const { signal } = this.#stopping;
    let pause = firstPauseMilliseconds;
    while (!signal.aborted) {
      const begun = clock.monotonic();
      const fault = await this.#runSession();
      if (signal.aborted) return;
      this.#become(fault);
      if (clock.monotonic() - begun > steadyMilliseconds) pause = firstPauseMilliseconds;
      await clock.sleep(pause * (0.5 + random()), signal);
      pause = Math.min(pause * 2, longestPauseMilliseconds);
    }
  }

  /** Runs one session. @returns why it ended. */
  async #runSession(): Promise<{ kind: 'offline' | 'refused'; reason: string }> {
    const { settings } = this.#parts;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    this.#stopping.signal.addEventListener('abort', end);
    let connection: NatsConnection | null = null;
    let isOpen = false;
    try {
      connection = await connect({
        servers: [...settings.urls],
        name: `houmao ${settings.host}`,
        inboxPrefix: inboxPrefix(settings.host),
        // A new session is made instead: subscriptions and readers that a reconnection left silent cannot exist.
        reconnect: false,
        ignoreClusterUpdates: true,
        timeout: 10_000,
        pingInterval: pingMilliseconds,
        maxPingOut: 2,
        ...authenticatorOf(settings),
      });
      const lost = connection.closed().then((error) => {
        end();
        return error ?? null;
      });
      const manager = await jetstreamManager(connection);
      await prepareStreams(manager, settings.replicas);
      const kept = await openBuckets(new Kvm(connection), settings.replicas);
      const files = await openFiles(new Objm(connection), settings.replicas);
      const session: FleetSession = {
        connection,
        streams: jetstream(connection),
        manager,
        ...kept,
        files,
        ended: ended.signal,
        joined: () => {
          this.#session = session;
          this.#become({ kind: 'online' });
        },
      };
      isOpen = true;
      await this.#parts.work(session);
      const error = await Promise.race([lost, Promise.resolve(null)]);
      return linkFaultOf(error ?? new Error('the connection was lost'), settings);
    } catch (error) {
      end();
      const answers =
        connection !== null && isTimeout(error as Error) && (await answersQuestions(connection));
      return linkFaultOf(error as Error, settings, { wasOpen: isOpen, answers });
    } finally {
      this.#session = null;
      end();
      this.#stopping.signal.removeEventListener('abort', end);
      await connection?.close().catch(() => undefined);
    }
  }

  #become(next: { kind: 'online' } | { kind: 'offline' | 'refused'; reason: string }): void {
    const before = this.#state;
    const same = before.kind === next.kind;
    const sinceMs = same ? before.sinceMs : this.#parts.clock.now().getTime();
    this.#state = { ...next, sinceMs };
    const reasonOf = (state: LinkState): string | null => ('reason' in state ? state.reason : null);
    if (!same || reasonOf(before) !== reasonOf(this.#state)) this.#parts.changed(this.#state);
  }
}

/** Whether JetStream answers: it does where it stores nothing more, as after its disk was full. */
const answersQuestions = (connection: NatsConnection): Promise<boolean> =>
  jetstreamManager(connection, { timeout: 2000 }).then(
    () => true,
    () => false,
  );

/** Pure: the line for the log of the server when the state changes. */
export function stateLine(state: LinkState, { host, urls }: FleetSettings): string {
  switch (state.kind) {
    case 'connecting':
      return `fleet: connecting to ${urls.join(', ')}`;
    case 'online':
      return `fleet: ${host} is in the fleet at ${urls.join(', ')}`;
    case 'offline':
      return `fleet: offline, ${state.reason}; this host goes on alone and tries again`;
    case 'refused':
      return `fleet: refused, ${state.reason}`;
  }
}
