import { EventTable, type StoredEvent } from '../events/event-table.js';
import { Projection } from '../events/projection.js';
import { ProjectionTable } from '../events/projection-table.js';
import type { Clock } from '../foundation/clock.js';
import { currentInstanceFile, withdrawCurrentInstance } from '../session/current-instance.js';
import { type Manifest, readManifest } from '../session/manifest.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { AgentTarget } from '../target/agent-target.js';
import { chooseTarget, type TargetKind, targetKindOf } from '../target/choose-target.js';
import { ExecutionSlot } from '../turn/execution-slot.js';
import { DirectPrompts } from './control/direct-prompt.js';
import { SessionOverride } from './control/session-override.js';
import type { Database } from './database.js';
import { EventFeed } from './event-feed.js';
import type { EventFollower } from './event-followers.js';
import { toEventLine, toLogLine } from './event-lines.js';
import { Journal } from './journal.js';
import { GatewayMemory } from './memory.js';
import { recover } from './recovery.js';
import { ReminderLoop } from './reminders/reminder-loop.js';
import { ReminderService } from './reminders/reminder-service.js';
import { Finals } from './requests/finals.js';
import { InterruptBindings } from './requests/interrupt-bindings.js';
import { QueueControlTable } from './requests/queue-control-table.js';
import { RequestService } from './requests/request-service.js';
import { RequestTable } from './requests/request-table.js';
import { Worker } from './requests/worker.js';
import { sweepWhile } from './retention.js';
import type { GatewayIdentity } from './status/derive-status.js';
import { firstEpoch } from './status/epoch.js';
import { EpochTable } from './status/epoch-table.js';
import { StateFile } from './status/state-file.js';
import { StatusBoard } from './status/status-board.js';
import { QueueDatabase } from './storage/queue-database.js';
import { isWholeDatabase } from './storage/storage-fault.js';
import { StorageWatch } from './storage/storage-watch.js';
import { TurnService } from './turns/turn-service.js';

/** An agent whose state nobody asks for is looked at this often, so that `state.json` does not lie for long. */
const idleProbeMilliseconds = 5000;
/** How often projections note how far they came. */
const noteMilliseconds = 1000;

/**
 * One live gateway: everything behind the HTTP surface. {@link Gateway.open} recovers what a crash left; nothing runs
 * before {@link Gateway.start}.
 */
export class Gateway {
  readonly paths: SessionPaths;
  readonly manifest: Manifest;
  readonly kind: TargetKind;
  readonly target: AgentTarget;
  readonly board: StatusBoard;
  readonly requests: RequestService;
  readonly prompts: DirectPrompts;
  readonly override: SessionOverride;
  readonly turns: TurnService;
  readonly reminders: ReminderService;
  readonly feed: EventFeed;
  readonly journal: Journal;
  readonly storage: StorageWatch;
  readonly #queue: QueueDatabase;
  readonly #projections: Projection[];
  readonly #stateFile: StateFile;
  readonly #worker: Worker;
  readonly #reminderLoop: ReminderLoop;
  readonly #finals = new Finals();
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #followers: readonly EventFollower[];
  /** Projections that lag behind the queue. */
  readonly #behind = new Set<Projection>();
  #noteTimer: NodeJS.Timeout | null = null;

  private constructor(
    paths: SessionPaths,
    manifest: Manifest,
    identity: GatewayIdentity,
    clock: Clock,
    followers: readonly EventFollower[],
  ) {
    this.paths = paths;
    this.#followers = followers;
    this.manifest = manifest;
    this.kind = targetKindOf(manifest);
    this.#clock = clock;
    this.#queue = new QueueDatabase(paths.queue, (fault) => this.storage.met(fault));
    const { database } = this.#queue;
    this.storage = new StorageWatch({
      paths,
      database: () => this.#queue,
      probe: (told) => this.#note(told),
      tell,
      changed: () => this.#storageChanged(),
      clock,
    });
    const events = new EventTable(database);
    const checkpoints = new ProjectionTable(database);
    this.feed = new EventFeed(events, clock);
    const memory = openMemory(database, paths);
    this.journal = new Journal(
      database,
      events,
      memory,
      clock,
      (events) => this.#committed(events),
      this.storage,
    );
    this.target = chooseTarget(manifest, paths, clock, process.env);
    const slot = new ExecutionSlot(() => this.#slotChanged());
    this.board = new StatusBoard(identity, this.target, this.journal, slot, clock, this.storage);
    const report = (fault: string): void => this.report(fault);
    this.#stateFile = new StateFile(paths, this.board, tell);
    this.turns = new TurnService(this.target, this.journal, slot, clock, report);
    this.override = new SessionOverride();
    const bindings = new InterruptBindings();
    const common = {
      journal: this.journal,
      board: this.board,
      slot,
      target: this.target,
      finals: this.#finals,
      clock,
    };
    this.#worker = new Worker({ ...common, turns: this.turns, tool: manifest.tool, paths, bindings, report });
    this.requests = new RequestService({ ...common, paths, bindings, wakeWorker: () => this.#worker.wake() });
    this.prompts = new DirectPrompts({
      ...common,
      turns: this.turns,
      tool: manifest.tool,
      override: this.override,
    });
    const { journal, turns } = this;
    this.#reminderLoop = new ReminderLoop({ ...common, turns, tool: manifest.tool, report });
    this.reminders = new ReminderService({ journal, clock, wakeLoop: () => this.#reminderLoop.wake() });
    this.#projections = [
      Projection.open('events.jsonl', paths.events, toEventLine, events, checkpoints),
      Projection.open('gateway.log', paths.log, toLogLine, events, checkpoints),
    ];
  }

  /**
   * Opens the queue of a session and settles what a crash left running.
   * @throws {UnusableFile} when the manifest or the queue cannot be used.
   */
  static async open(
    paths: SessionPaths,
    identity: GatewayIdentity,
    clock: Clock,
    followers: readonly EventFollower[],
  ): Promise<Gateway> {
    const gateway = new Gateway(paths, readManifest(paths.manifest), identity, clock, followers);
    await recover(gateway.journal, paths, clock);
    return gateway;
  }

  /** Publishes the status files and begins to work. */
  async start(): Promise<void> {
    await this.board.look();
    this.#stateFile.write();
    const { host, port, attachIdentity } = this.board.identity;
    await this.journal.write((atUtc) =>
      this.journal.event(atUtc, {
        kind: 'gateway_started',
        subjectId: null,
        data: { host, port, attach_identity: attachIdentity },
      }),
    );
    this.storage.start();
    this.#worker.start();
    this.#reminderLoop.start();
    this.#probeWhileIdle().catch(() => undefined);
  }

  /** Forgets finished requests from now on (retention.ts). */
  retain(days: number): void {
    const report = (fault: string): void => this.report(fault);
    sweepWhile(this.journal, days, this.#clock, this.#stopping.signal, report).catch((error: Error) =>
      report(`retention stopped: ${error.message}`),
    );
  }

  /** Lets every waiting caller go, takes no more work and ends the running turn. Reading still works. */
  async quiesce(): Promise<void> {
    this.#stopping.abort();
    this.storage.letGo();
    const told = this.journal.write((atUtc) =>
      this.journal.event(atUtc, { kind: 'gateway_stopping', subjectId: null, data: {} }),
    );
    // A queue that cannot be written to is no reason to leave the agent running.
    await told.catch(this.#unlessStorage);
    this.#finals.releaseAll();
    this.feed.close();
    const stopped = Promise.all([this.#worker.stop(), this.#reminderLoop.stop()]);
    await this.turns.stopForShutdown();
    await stopped;
    await this.reminders.lose().catch(this.#unlessStorage);
    await this.storage.stop();
  }

  /** Leaves nothing behind but the queue. Call it when nobody reads any more. */
  close(): void {
    this.journal.flush();
    this.#stateFile.close();
    if (this.#noteTimer) clearTimeout(this.#noteTimer);
    this.#eachProjection((projection) => {
      projection.follow();
      projection.note();
    });
    for (const projection of this.#projections) projection.close();
    // A disk that takes nothing keeps nobody from going.
    attempt(() => withdrawCurrentInstance(this.paths));
    attempt(() => this.storage.keepContent());
    // Closing takes the log away by name, and that name is another file's then.
    if (this.#queue.look() !== 'replaced') attempt(() => this.#queue.close());
  }

  /** Writes a fault down where people look. */
  report(detail: string): void {
    this.#note(detail).catch(() => tell(detail));
  }

  #note(detail: string): Promise<void> {
    return this.journal.write((atUtc) =>
      this.journal.event(atUtc, { kind: 'fault', subjectId: null, data: { detail } }),
    );
  }

  /** Who watches over the queue has told of it already. */
  #unlessStorage = (error: unknown): void => {
    if (!isWholeDatabase(error)) tell((error as Error).message);
  };

  #committed(events: readonly StoredEvent[]): void {
    this.#eachProjection((projection) => projection.follow(events));
    for (const follow of this.#followers) follow(events);
    if (events.length > 0) this.feed.arrived();
    this.#stateFile.touch();
    this.#noteLater();
  }

  #noteLater(): void {
    this.#noteTimer ??= setTimeout(() => {
      this.#noteTimer = null;
      this.#eachProjection((projection) => {
        projection.follow([]);
        projection.note();
      });
      if (this.#behind.size > 0) this.#noteLater();
    }, noteMilliseconds).unref();
  }

  /** The queue is the truth: a projection that cannot be written is told of once, and caught up later. */
  #eachProjection(work: (projection: Projection) => void): void {
    for (const projection of this.#projections) {
      try {
        work(projection);
        this.#behind.delete(projection);
      } catch (error) {
        // The queue itself is watched by others.
        if (!this.#behind.has(projection) && !isWholeDatabase(error))
          tell(
            `${projection.path} could not be written (${(error as Error).message}): it is caught up as soon as its disk takes it`,
          );
        this.#behind.add(projection);
      }
    }
  }

  #storageChanged(): void {
    this.#stateFile.touch();
    this.#worker.wake();
    this.#reminderLoop.wake();
    if (!this.storage.fault) this.#noteLater();
  }

  #slotChanged(): void {
    this.#stateFile.touch();
    this.#worker.wake();
    this.#reminderLoop.wake();
  }

  async #probeWhileIdle(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(idleProbeMilliseconds, signal);
      if (signal.aborted) return;
      await this.board
        .current()
        .catch((error: Error) => this.report(`the agent could not be looked at: ${error.message}`));
      this.#stateFile.touch();
    }
  }
}

/** Said where it is seen even when nothing can be stored. */
const tell = (line: string): void => console.error(`houmao-gateway: ${line}`);

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    tell((error as Error).message);
  }
}

/** Where counting goes on: in the queue's own records, else at what an earlier gateway published. */
function openMemory(database: Database, paths: SessionPaths): GatewayMemory {
  const known = new EpochTable(database).read();
  const published = known ? null : currentInstanceFile.readIfUsable(paths.currentInstance);
  const epoch =
    known ??
    firstEpoch(
      published && {
        epoch: published.managed_agent_instance_epoch,
        instanceId: published.managed_agent_instance_id,
      },
    );
  return new GatewayMemory(
    new RequestTable(database).countActive(),
    epoch,
    new QueueControlTable(database).readPaused(),
  );
}
