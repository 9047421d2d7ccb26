import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DirectPrompts, SessionOverride } from '../../src/dispatch/direct-prompt.js';
import { RequestJournal } from '../../src/dispatch/queue/request-journal.js';
import { WatchedAxes } from '../../src/dispatch/readiness.js';
import { ReminderBook, ReminderTable } from '../../src/dispatch/reminders/reminder-book.js';
import { ReminderLoop } from '../../src/dispatch/reminders/reminder-loop.js';
import { ReminderService } from '../../src/dispatch/reminders/reminder-service.js';
import { eventStoreSchemas } from '../../src/events/event-store.js';
import { EventTable } from '../../src/events/event-table.js';
import { Journal } from '../../src/events/journal.js';
import { type Clock, systemClock } from '../../src/foundation/clock.js';
import { Waiters } from '../../src/foundation/concurrency.js';
import { NotifierTable } from '../../src/gateway/notifier/notifier-book.js';
import { queueSchemas } from '../../src/gateway/queue-schemas.js';
import { InterruptBindings, InterruptRunner } from '../../src/gateway/requests/interrupt-runner.js';
import { RequestControl } from '../../src/gateway/requests/request-control.js';
import { RequestIntake } from '../../src/gateway/requests/request-intake.js';
import { RequestReader } from '../../src/gateway/requests/request-reader.js';
import { type StaleNotice, Worker } from '../../src/gateway/requests/worker.js';
import { Epochs } from '../../src/gateway/status/epochs.js';
import { StatusBoard } from '../../src/gateway/status/status-board.js';
import { queueStore, type SessionPaths, sessionPaths } from '../../src/session/session-paths.js';
import { IdempotencyKeys } from '../../src/storage/idempotency-keys.js';
import { StorageWatch } from '../../src/storage/storage-watch.js';
import { WatchedDatabase } from '../../src/storage/watched-database.js';
import { ExecutionSlot, type TurnOrder } from '../../src/turn/live-turn.js';
import { TurnService } from '../../src/turn/turn-service.js';
import { TurnTable } from '../../src/turn/turn-table.js';
import { FakeTarget } from './fake-target.js';
import { ownTurns } from './own-turns.js';
import { resolved } from './plain-turn.js';

/** The queue, its worker and its turns over a real database, without HTTP and without an agent. */
export interface TestQueue {
  store: WatchedDatabase;
  storage: StorageWatch;
  paths: SessionPaths;
  journal: Journal;
  queue: RequestJournal;
  turnTable: TurnTable;
  /** The keys that are deleted by their age. */
  agedKeys: readonly IdempotencyKeys[];
  notifierTable: NotifierTable;
  /** The notifier's notices about its prompts that wait. */
  notices: { stale: () => Promise<StaleNotice | null> };
  book: ReminderBook;
  epochs: Epochs;
  axes: WatchedAxes;
  board: StatusBoard;
  slot: ExecutionSlot;
  /** Called when the slot is taken or free. */
  slotChanged: () => void;
  turns: TurnService;
  target: FakeTarget;
  intake: RequestIntake;
  reader: RequestReader;
  control: RequestControl;
  waiters: Waiters;
  worker: Worker;
  prompts: DirectPrompts;
  override: SessionOverride;
  reminders: ReminderService;
  reminderLoop: ReminderLoop;
  faults: string[];
  /** Lets the database refuse something, such as `INSERT ON turns`, as a fault of ours would; the result ends that. */
  refuse(what: string): () => void;
  /** A turn that nobody queued. */
  order(turnId: string): TurnOrder;
  prompt(text: string): Promise<string>;
  interrupt(): Promise<string>;
  final(requestId: string): Promise<string>;
  /** The reports to a caller that waits for the end of a request: none at first, its state as soon as it is final. */
  reportedOf(requestId: string): readonly string[];
  /** Resolves when nothing more happens by itself: worker and reminders sleep, and no write is under way. */
  atRest(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds of real time in which everything that a test has begun comes to rest. */
const patience = 20_000;

/** The journal of a test, which knows how many of its writes are under way. */
class CountingJournal extends Journal {
  underWay = 0;
  override async write<T>(work: (atUtc: string) => T): Promise<T> {
    this.underWay += 1;
    try {
      return await super.write(work);
    } finally {
      this.underWay -= 1;
    }
  }
}

/** The clock of one loop, which knows whether that loop sleeps. */
class LoopClock implements Clock {
  readonly #clock: Clock;
  #asleep = true;
  constructor(clock: Clock) {
    this.#clock = clock;
  }
  get asleep(): boolean {
    return this.#asleep;
  }
  /** Before its first sleep, and after its last, a loop that runs is awake. */
  follow(loop: { start(): void; stop(): Promise<void> }): void {
    const [start, stop] = [loop.start.bind(loop), loop.stop.bind(loop)];
    loop.start = () => {
      this.#asleep = false;
      start();
    };
    loop.stop = async () => {
      await stop();
      this.#asleep = true;
    };
  }
  now(): Date {
    return this.#clock.now();
  }
  monotonic(): number {
    return this.#clock.monotonic();
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#asleep = true;
    await this.#clock.sleep(ms, signal);
    this.#asleep = false;
  }
}

/** @param clock whose time the queue lives in. */
export async function makeQueue(clock: Clock = systemClock): Promise<TestQueue> {
  let made: TestQueue | null = null;
  const folder = mkdtempSync(join(tmpdir(), 'houmao-queue-'));
  const paths = sessionPaths(folder);
  const faults: string[] = [];
  const store = new WatchedDatabase(queueStore(paths), [...eventStoreSchemas, ...queueSchemas], (fault) =>
    storage.met(fault),
  );
  const storage: StorageWatch = new StorageWatch({
    database: store,
    probe: async () => undefined,
    report: (line) => void faults.push(line),
    changed: () => undefined,
    clock,
  });
  const journal = new CountingJournal({
    store,
    events: new EventTable(store),
    clock,
    guard: storage,
    committed: () => undefined,
  });
  const queue = new RequestJournal(store, journal);
  const turnTable = new TurnTable(store);
  const epochs = new Epochs(store, journal, () => ({ epoch: 1, reconciledEpoch: 1, lastInstanceId: 'i' }));
  const target = new FakeTarget();
  const report = (fault: string): void => void faults.push(fault);
  const slot = new ExecutionSlot(() => {
    worker.wake();
    reminderLoop.wake();
    made?.slotChanged();
  });
  const identity = {
    attachIdentity: 's',
    backend: 'claude_headless',
    tmuxSessionName: 's',
    executionMode: 'detached_process',
    host: '127.0.0.1',
    port: 1,
    tmuxWindowId: null,
    tmuxWindowIndex: null,
    tmuxPaneId: null,
  } as const;
  const axes = new WatchedAxes({
    target,
    slot,
    storage,
    clock,
    own: () => ({
      needsReconciliation: epochs.needsReconciliation,
      epoch: epochs.current,
      paused: queue.paused,
      queueDepth: queue.depth,
    }),
    inspected: ({ instanceId }) => epochs.observe(instanceId),
  });
  const board = new StatusBoard(identity, axes, epochs);
  const waiters = new Waiters();
  const ownership = ownTurns(paths);
  const turns = new TurnService({
    ownership,
    target,
    journal,
    slot,
    clock,
    report,
    table: turnTable,
    ended: (turnId) => waiters.wake(turnId),
  });
  const bindings = new InterruptBindings();
  const wakeWorker = (): void => worker.wake();
  const common = {
    journal,
    queue,
    axes,
    slot,
    turns,
    target,
    waiters,
    clock,
    paths,
    bindings,
    report,
  };
  const dispatch = { ...common, tool: 'claude' };
  const interrupts = new InterruptRunner({ ...common, done: wakeWorker });
  const clocks = { worker: new LoopClock(clock), reminders: new LoopClock(clock) };
  const notices: TestQueue['notices'] = { stale: async () => null };
  const notifierTable = new NotifierTable(store);
  const worker: Worker = new Worker({
    ...dispatch,
    clock: clocks.worker,
    interrupts,
    staleNotice: () => notices.stale(),
  });
  clocks.worker.follow(worker);
  const override = new SessionOverride();
  const prompts = new DirectPrompts({ ...dispatch, override });
  const book = new ReminderBook(journal, new ReminderTable(store));
  const reminderLoop: ReminderLoop = new ReminderLoop({ ...dispatch, clock: clocks.reminders, book });
  clocks.reminders.follow(reminderLoop);
  const reminders = new ReminderService({ journal, book, clock, wakeLoop: () => reminderLoop.wake() });
  storage.start();
  const intake = new RequestIntake({ ...common, turns: turnTable, wakeWorker });
  const reader = new RequestReader({ ...common, turns: turnTable });
  const control = new RequestControl({ ...common, epochs, turnTable, wakeWorker });
  const accept = async (body: Parameters<RequestIntake['accept']>[0]): Promise<string> => {
    const acceptance = await intake.accept(body, { key: null, ifTurn: null, metadata: null });
    if ('refusal' in acceptance) throw new Error(acceptance.refusal.detail);
    return acceptance.accepted.request_id;
  };
  const busy = () => ({
    writes: journal.underWay,
    workerSleeps: clocks.worker.asleep,
    remindersSleep: clocks.reminders.asleep,
  });
  await axes.observe();
  made = {
    store,
    storage,
    paths,
    journal,
    queue,
    turnTable,
    agedKeys: [new IdempotencyKeys(store, 'mail')],
    notifierTable,
    notices,
    book,
    epochs,
    axes,
    board,
    slot,
    slotChanged: () => undefined,
    turns,
    target,
    intake,
    reader,
    control,
    waiters,
    worker,
    prompts,
    override,
    reminders,
    reminderLoop,
    faults,
    refuse: (what) => {
      store.prepare(`CREATE TRIGGER refusal BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'refused'); END`).run();
      return () => void store.prepare('DROP TRIGGER refusal').run();
    },
    order: (turnId) => ({
      ...resolved(target.resolve()),
      turnId,
      prompt: 'p',
      origin: 'direct',
      requestId: null,
      tool: 'claude',
    }),
    prompt: (prompt) => accept({ schema_version: 1, kind: 'submit_prompt', payload: { prompt } }),
    interrupt: () => accept({ schema_version: 1, kind: 'interrupt', payload: {} }),
    atRest: async () => {
      const deadline = performance.now() + patience;
      do {
        await nextTurn();
        if (performance.now() > deadline) throw new Error(`not at rest: ${JSON.stringify(busy())}`);
      } while (busy().writes > 0 || !busy().workerSleeps || !busy().remindersSleep);
    },
    reportedOf: (id) => {
      const reported: string[] = [];
      const tell = (record: { state: string } | null): number => reported.push(record?.state ?? 'unknown');
      reader.findFinal(id, 60, new AbortController().signal).then(tell, report);
      return reported;
    },
    final: async (id) => (await reader.findFinal(id, 20, new AbortController().signal))?.state ?? 'unknown',
    async close() {
      const stopped = Promise.all([worker.stop(), reminderLoop.stop()]);
      await turns.stopForShutdown();
      await stopped;
      await journal.finish();
      await storage.stop();
      store.close();
      ownership.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return made;
}
