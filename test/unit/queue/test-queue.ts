import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventTable } from '../../../src/events/event-table.js';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { deferred } from '../../../src/foundation/deferred.js';
import type { Database } from '../../../src/gateway/database.js';
import { Journal } from '../../../src/gateway/journal.js';
import { GatewayMemory } from '../../../src/gateway/memory.js';
import { ReminderLoop } from '../../../src/gateway/reminders/reminder-loop.js';
import { ReminderService } from '../../../src/gateway/reminders/reminder-service.js';
import { Finals } from '../../../src/gateway/requests/finals.js';
import { InterruptBindings } from '../../../src/gateway/requests/interrupt-bindings.js';
import { RequestService } from '../../../src/gateway/requests/request-service.js';
import { Worker } from '../../../src/gateway/requests/worker.js';
import { StatusBoard } from '../../../src/gateway/status/status-board.js';
import { QueueDatabase } from '../../../src/gateway/storage/queue-database.js';
import { StorageWatch } from '../../../src/gateway/storage/storage-watch.js';
import { TurnService } from '../../../src/gateway/turns/turn-service.js';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import type {
  AgentTarget,
  Inspection,
  Refusal,
  ResolvedTurn,
  TurnAssignment,
} from '../../../src/target/agent-target.js';
import { ExecutionSlot } from '../../../src/turn/execution-slot.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../../src/turn/running-turn.js';
import { noSigns, type TurnSigns } from '../../../src/turn/turn-signs.js';

export const answered: TurnSigns = {
  ...noSigns,
  exitCode: 0,
  completion: { successful: true, message: 'done' },
};

/** An agent whose turns end when the test says so. */
export class FakeTarget implements AgentTarget {
  readonly surface = 'headless';
  readonly remote = false;
  readonly started: TurnAssignment[] = [];
  inspection: Inspection = {
    connected: true,
    instanceId: 'i',
    surface: 'ready',
    acceptsPrompts: true,
    detail: null,
  };
  probe: () => Promise<void> = async () => undefined;
  resolveFault: Error | null = null;
  timeLimitSeconds: number | null = null;
  #ends: (() => void)[] = [];

  async inspect(): Promise<Inspection> {
    await this.probe();
    return this.inspection;
  }
  resolve(): ResolvedTurn | Refusal {
    if (this.resolveFault) throw this.resolveFault;
    return {
      options: { chatSession: null, execution: null },
      session: { mode: 'new' },
      model: { name: null, reasoningLevel: null },
      timeLimitSeconds: this.timeLimitSeconds,
    };
  }
  check(): null {
    return null;
  }
  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn {
    this.started.push(assignment);
    observer.handedOver('a test');
    const ended = deferred<TurnSigns>();
    this.#ends.push(() => ended.resolve(answered));
    return {
      ended: ended.promise,
      stop: async () => {
        ended.resolve({ ...answered, completion: null });
        return { outcome: 'stopped', signal: 'SIGINT' } as const;
      },
    };
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
  /** Ends the turn that runs. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

/** The queue, its worker and its turns over a real database, without HTTP and without an agent. */
export interface TestQueue {
  database: Database;
  paths: SessionPaths;
  journal: Journal;
  board: StatusBoard;
  slot: ExecutionSlot;
  turns: TurnService;
  target: FakeTarget;
  requests: RequestService;
  worker: Worker;
  reminders: ReminderService;
  reminderLoop: ReminderLoop;
  faults: string[];
  prompt(text: string): Promise<string>;
  interrupt(): Promise<string>;
  final(requestId: string): Promise<string>;
  close(): Promise<void>;
}

/** @param clock whose time the queue lives in. */
export async function makeQueue(clock: Clock = systemClock): Promise<TestQueue> {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-queue-'));
  const paths = sessionPaths(folder);
  const faults: string[] = [];
  const queue = new QueueDatabase(paths.queue, (fault) => storage.met(fault));
  const { database } = queue;
  const storage: StorageWatch = new StorageWatch({
    paths,
    database: () => queue,
    probe: async () => undefined,
    tell: (line) => void faults.push(line),
    changed: () => undefined,
    clock,
  });
  const memory = new GatewayMemory(0, { epoch: 1, reconciledEpoch: 1, lastInstanceId: 'i' });
  const journal = new Journal(database, new EventTable(database), memory, clock, () => undefined, storage);
  const target = new FakeTarget();
  const report = (fault: string): void => void faults.push(fault);
  const slot = new ExecutionSlot(() => {
    worker.wake();
    reminderLoop.wake();
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
  const board = new StatusBoard(identity, target, journal, slot, clock, storage);
  const turns = new TurnService(target, journal, slot, clock, report);
  const finals = new Finals();
  const bindings = new InterruptBindings();
  const common = { journal, board, slot, target, finals, clock, paths, bindings };
  const worker: Worker = new Worker({ ...common, turns, tool: 'claude', report });
  const reminderLoop: ReminderLoop = new ReminderLoop({ ...common, turns, tool: 'claude', report });
  const reminders = new ReminderService({ journal, clock, wakeLoop: () => reminderLoop.wake() });
  storage.start();
  const requests = new RequestService({ ...common, wakeWorker: () => worker.wake() });
  const accept = async (body: Parameters<RequestService['accept']>[0]): Promise<string> => {
    const acceptance = await requests.accept(body, null);
    if ('refusal' in acceptance) throw new Error(acceptance.refusal.detail);
    return acceptance.accepted.request_id;
  };
  await board.look();
  return {
    database,
    paths,
    journal,
    board,
    slot,
    turns,
    target,
    requests,
    worker,
    reminders,
    reminderLoop,
    faults,
    prompt: (prompt) => accept({ schema_version: 1, kind: 'submit_prompt', payload: { prompt } }),
    interrupt: () => accept({ schema_version: 1, kind: 'interrupt', payload: {} }),
    final: async (id) => (await requests.findFinal(id, 20, new AbortController().signal))?.state ?? 'unknown',
    async close() {
      const stopped = Promise.all([worker.stop(), reminderLoop.stop()]);
      await turns.stopForShutdown();
      await stopped;
      journal.flush();
      await storage.stop();
      queue.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Lets everything that is under way come to rest. */
export const settled = (milliseconds = 50): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
