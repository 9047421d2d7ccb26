import type { AgentTarget } from '../agent/target/agent-target.js';
import type { SessionOverride } from '../dispatch/direct-prompt.js';
import type { RequestJournal } from '../dispatch/queue/request-journal.js';
import { chooseTarget, openSessionStore, SessionRuntime } from '../dispatch/queue/session-runtime.js';
import type { AxesSource } from '../dispatch/readiness.js';
import { ReminderBook, ReminderTable } from '../dispatch/reminders/reminder-book.js';
import { ReminderLoop } from '../dispatch/reminders/reminder-loop.js';
import { ReminderService } from '../dispatch/reminders/reminder-service.js';
import type { EventFollower, EventStore } from '../events/event-store.js';
import type { Clock } from '../foundation/clock.js';
import { Waiters } from '../foundation/concurrency.js';
import { programLine } from '../foundation/program-line.js';
import { withdrawCurrentInstance } from '../session/current-instance.js';
import { logKeepingOf, type SessionKeeping } from '../session/keeping.js';
import { manifestReader, readManifest } from '../session/manifest.js';
import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import { IdempotencyKeys } from '../storage/idempotency-keys.js';
import { Tmux } from '../terminal/tmux.js';
import type { TrackerTimings } from '../terminal/tracker/tracker-timings.js';
import { ownershipRequestOfAnother, type TurnOwnership } from '../turn/turn-ownership.js';
import type { TurnService } from '../turn/turn-service.js';
import { TurnStreams } from '../turn/turn-streams.js';
import { type BrokenPeriod, type DayRange, type UsageDay, usagePeriod } from '../turn/usage-days.js';
import { Dialogs } from './control/dialogs.js';
import { KeyedPrompts } from './control/keyed-prompts.js';
import { ReminderKeys } from './control/reminder-keys.js';
import { SessionMail } from './mail/session-mail.js';
import { MailNotifier } from './notifier/mail-notifier.js';
import { queueSchemas } from './queue-schemas.js';
import { InterruptBindings, InterruptRunner } from './requests/interrupt-runner.js';
import { RequestControl } from './requests/request-control.js';
import { RequestIntake } from './requests/request-intake.js';
import { RequestReader } from './requests/request-reader.js';
import { sweepWhile } from './requests/retention.js';
import { Worker } from './requests/worker.js';
import { Epochs, publishedEpoch } from './status/epochs.js';
import { GatewayMetrics } from './status/gateway-metrics.js';
import { type GatewayIdentity, probeWhileIdle, StateFile, StatusBoard } from './status/status-board.js';

export interface GatewayParts {
  paths: SessionPaths;
  identity: GatewayIdentity;
  clock: Clock;
  /** The right to run the turns of the session; the caller that took it gives it back. */
  ownership: TurnOwnership;
  /**
   * The environment of this program. Turns get its basics (PATH, HOME and the like), and only those that the launch does
   * not name.
   */
  environment: NodeJS.ProcessEnv;
  /** The timings with which an agent in a terminal is watched. */
  timings: TrackerTimings;
  followers: readonly EventFollower[];
  /** How long requests and logs are kept. */
  keeping: SessionKeeping;
}

/**
 * One live gateway: everything behind the HTTP surface. {@link Gateway.open} recovers what a crash left; nothing runs
 * before {@link Gateway.start}.
 */
export class Gateway {
  readonly paths: SessionPaths;
  readonly manifest: Manifest;
  readonly target: AgentTarget;
  readonly axes: AxesSource;
  readonly board: StatusBoard;
  readonly queue: RequestJournal;
  readonly intake: RequestIntake;
  readonly reader: RequestReader;
  readonly streams: TurnStreams;
  readonly control: RequestControl;
  readonly prompts: KeyedPrompts;
  readonly override: SessionOverride;
  readonly dialogs: Dialogs | null;
  readonly turns: TurnService;
  readonly reminders: ReminderService;
  readonly reminderKeys: ReminderKeys;
  readonly events: EventStore;
  readonly mail: SessionMail;
  readonly notifier: MailNotifier;
  readonly metrics: GatewayMetrics;
  readonly keeping: SessionKeeping;
  readonly #runtime: SessionRuntime;
  readonly #promptKeys: IdempotencyKeys;
  readonly #stateFile: StateFile;
  readonly #worker: Worker;
  readonly #reminderLoop: ReminderLoop;
  readonly #waiters = new Waiters();
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  /** Prints a line that must be seen even when nothing can be stored. */
  readonly #print = (line: string): void => console.error(programLine('houmao-gateway', line, this.#clock));

  private constructor(manifest: Manifest, parts: GatewayParts) {
    const { paths, identity, clock, environment, followers, ownership } = parts;
    this.paths = paths;
    this.manifest = manifest;
    this.keeping = parts.keeping;
    this.#clock = clock;
    this.streams = new TurnStreams(clock);
    const report = (fault: string): void => this.report(fault);
    const waiters = this.#waiters;
    this.metrics = new GatewayMetrics({
      clock,
      axes: () => this.axes.now(),
      waitsForPerson: () => (this.target.terminal?.state.dialog ?? null) !== null,
      notifier: () => this.notifier.loop.counts,
      request: (requestId) => this.queue.rows.find(requestId),
      turn: (turnId) => this.#runtime.turnTable.find(turnId),
    });
    const events = openSessionStore({
      paths,
      program: 'gateway',
      schemas: queueSchemas,
      clock,
      followers: [...followers, this.metrics.follow],
      keeping: logKeepingOf(parts.keeping),
      print: this.#print,
      committed: () => {
        this.#stateFile.touch();
        this.streams.look();
      },
      faultChanged: () => {
        const { fault } = this.events.watch;
        if (fault) this.metrics.storageFault(fault.code);
        this.#changed();
      },
    });
    this.events = events;
    const { store, journal } = events;
    const epochs = new Epochs(store, journal, () => publishedEpoch(paths));
    const target = chooseTarget(
      manifest,
      paths,
      { clock, environment, tmux: new Tmux({ environment }) },
      { timings: parts.timings, changed: () => this.#terminalChanged(), report },
    );
    const runtime = new SessionRuntime({
      paths,
      events,
      target,
      identity: identity.attachIdentity,
      tool: manifest.tool,
      ownership,
      outlive: false,
      clock,
      waiters,
      ownAxes: ({ depth, paused }) => ({
        needsReconciliation: epochs.needsReconciliation,
        epoch: epochs.current,
        paused,
        queueDepth: depth,
      }),
      inspected: ({ instanceId }) => epochs.observe(instanceId),
      slotChanged: () => this.#changed(),
    });
    this.#runtime = runtime;
    const { queue, turnTable, slot, axes, turns, dispatch } = runtime;
    const { terminal } = target;
    this.queue = queue;
    this.target = target;
    this.axes = axes;
    this.board = new StatusBoard(identity, axes, epochs);
    this.turns = turns;
    this.override = runtime.override;
    this.#stateFile = new StateFile(paths, this.board, this.#print);
    this.mail = new SessionMail({ manifest: manifestReader(paths.manifest), paths, store, journal, clock });
    this.dialogs = terminal && new Dialogs({ terminal, journal, notNoted: events.printUnlessStorage });
    const wakeWorker = (): void => this.#worker.wake();
    const bindings = new InterruptBindings();
    const run = { journal, queue, axes, bindings, waiters };
    const interrupts = new InterruptRunner({ ...run, turns, target, report, done: wakeWorker });
    this.#worker = new Worker({
      ...dispatch,
      queue,
      interrupts,
      waiters,
      paths,
      report,
      staleNotice: () => this.notifier.stale(),
    });
    this.intake = new RequestIntake({
      journal,
      queue,
      turns: turnTable,
      axes,
      slot,
      target,
      paths,
      bindings,
      clock,
      wakeWorker,
    });
    this.reader = new RequestReader({ journal, queue, turns: turnTable, axes, waiters, paths });
    this.control = new RequestControl({ ...run, epochs, turnTable, wakeWorker });
    this.#promptKeys = new IdempotencyKeys(store, 'direct_prompt');
    this.prompts = new KeyedPrompts({
      prompts: runtime.prompts,
      journal,
      keys: this.#promptKeys,
      turns: turnTable,
      typed: target.interactive,
      clock,
      notStored: this.events.printUnlessStorage,
    });
    const book = new ReminderBook(journal, new ReminderTable(store));
    this.reminderKeys = new ReminderKeys(new IdempotencyKeys(store, 'reminder'), clock);
    this.#reminderLoop = new ReminderLoop({ ...dispatch, book, report });
    this.notifier = new MailNotifier({
      ...dispatch,
      queue,
      turnTable,
      wakeWorker,
      report,
      store,
      mailbox: this.mail.mailbox,
      home: manifest.launch_plan.home_selector.home_path,
      host: identity.host,
      port: identity.port,
    });
    this.reminders = new ReminderService({ journal, book, clock, wakeLoop: () => this.#reminderLoop.wake() });
  }

  /**
   * Opens the queue of a session and settles what a crash left running.
   * @throws {UnusableFile} when the manifest or the queue cannot be used.
   */
  static async open(parts: GatewayParts): Promise<Gateway> {
    const gateway = new Gateway(readManifest(parts.paths.manifest), parts);
    const { reminders } = gateway;
    await gateway.#runtime.settle((turnId) => reminders.restOfLeftTurn(turnId));
    await reminders.endLeft(gateway.#runtime.turnTable);
    return gateway;
  }

  /** Publishes the status files and begins to work. */
  async start(): Promise<void> {
    await this.axes.observe();
    await this.#stateFile.write();
    const { host, port, attachIdentity } = this.board.identity;
    await this.events.journal.write((atUtc) =>
      this.events.journal.event(atUtc, {
        kind: 'gateway_started',
        subjectId: null,
        data: { host, port, attach_identity: attachIdentity },
      }),
    );
    this.events.watch.start();
    this.target.terminal?.start();
    const report = (fault: string): void => this.report(fault);
    this.#worker.start();
    this.#reminderLoop.start();
    this.notifier.loop.start();
    const idle = { axes: this.axes, clock: this.#clock, probed: () => this.#stateFile.touch(), report };
    probeWhileIdle(idle, this.#stopping.signal).catch(() => undefined);
  }

  /** Deletes finished requests from now on, where the session keeps them for some days only (retention.ts). */
  retain(): void {
    const { retain_days: days } = this.keeping;
    if (days === null) return;
    const report = (fault: string): void => this.report(fault);
    sweepWhile(
      {
        journal: this.events.journal,
        queue: this.queue,
        turns: this.#runtime.turnTable,
        agedKeys: [this.mail.keys, this.#promptKeys],
        notifierTable: this.notifier.table,
        clock: this.#clock,
        report,
      },
      days,
      this.#stopping.signal,
    ).catch((error: Error) => report(`retention stopped: ${error.message}`));
  }

  /**
   * Accepts no more work, ends the running turn or leaves it to the next owner, then ends every caller's wait. Reading
   * still works.
   */
  async quiesce(): Promise<void> {
    this.#stopping.abort();
    this.events.watch.letGo();
    const noted = this.events.journal.write((atUtc) =>
      this.events.journal.event(atUtc, { kind: 'gateway_stopping', subjectId: null, data: {} }),
    );
    // A queue that cannot be written must not leave the agent running.
    await noted.catch(this.events.printUnlessStorage);
    const loops = Promise.all([this.#worker.stop(), this.#reminderLoop.stop(), this.notifier.loop.stop()]);
    for (const ending of [
      this.turns.stopForShutdown(ownershipRequestOfAnother(this.paths.run) !== null),
      loops,
    ])
      await ending.catch((error: Error) => this.report(`the stop hit an internal error: ${error.message}`));
    await this.reminders.lose().catch(this.events.printUnlessStorage);
    // Callers that wait for the turn learn how it ended; everything else that callers wait for does not come any more.
    this.#waiters.releaseAll();
    this.events.feed.close();
    await this.events.watch.stop();
    await this.target.terminal?.stop();
  }

  /** Closes everything; only the queue stays. Call this when no request reads any more. */
  async close(): Promise<void> {
    this.mail.close();
    await this.#stateFile.close();
    await this.events.close();
    try {
      withdrawCurrentInstance(this.paths);
    } catch (error) {
      // A full disk must not prevent shutdown.
      this.#print((error as Error).message);
    }
  }

  /** Returns what the agent used in a period, or what is wrong with the period. */
  usage(asked: Partial<DayRange>): (DayRange & { days: UsageDay[] }) | BrokenPeriod {
    const period = usagePeriod(asked, this.#clock.now());
    if ('detail' in period) return period;
    const { usageDays } = this.#runtime.turnTable;
    return { ...period, days: this.events.journal.read(() => usageDays.between(period)) };
  }

  /** Records a fault in `gateway.log`, or on stderr when that is not possible. */
  report(detail: string): void {
    this.events.report(detail);
  }

  /** Handles a change of the terminal: the agent is observed again at once. */
  #terminalChanged(): void {
    this.dialogs?.seen();
    const failed = (error: Error): void =>
      this.report(`the terminal could not be looked at: ${error.message}`);
    this.axes.observe().then(() => this.#changed(), failed);
  }

  /** Handles a change of the slot, or of a storage fault. */
  #changed(): void {
    this.#stateFile.touch();
    this.#worker.wake();
    this.#reminderLoop.wake();
    this.notifier.loop.wakeIfMailWaits();
  }
}
