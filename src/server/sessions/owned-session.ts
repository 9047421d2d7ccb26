import { AgentWatch } from '../../agent/agent-watch.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import { DirectPrompts, SessionOverride } from '../../dispatch/direct-prompt.js';
import { adoptRunning, recover } from '../../dispatch/queue/recovery.js';
import { RequestJournal } from '../../dispatch/queue/request-journal.js';
import type { Axes, AxesSource } from '../../dispatch/readiness.js';
import { EventStore } from '../../events/event-store.js';
import { toEventLine, toFormerEventLine, toLogLine } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import { queueStore, type SessionPaths } from '../../session/session-paths.js';
import type { StorageWatch } from '../../storage/storage-watch.js';
import { ExecutionSlot } from '../../turn/execution-slot.js';
import { LatePrompts } from '../../turn/late-prompts.js';
import type { TurnOwnership } from '../../turn/turn-ownership.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnTable } from '../../turn/turn-table.js';
import {
  SessionRecords,
  type StoredTurnSubmission,
  SubmissionTable,
  sessionSchemas,
} from './session-records.js';

export interface OwnedParts {
  paths: SessionPaths;
  /** The session's attach identity. */
  identity: string;
  tool: string;
  target: AgentTarget;
  ownership: TurnOwnership;
  /** Whether work for an earlier instance of the agent is not settled. */
  blocked: () => boolean;
  clock: Clock;
  /** Prints faults that must be seen even when nothing can be stored. */
  print: (line: string) => void;
  /** Called when the end of a turn is on disk. */
  ended: (turnId: string) => void;
}

/** A session while this server runs its turns: the same store, tables and events that a gateway has. */
export class OwnedSession {
  readonly prompts: DirectPrompts;
  readonly turns: TurnService;
  readonly axes: DirectAxes;
  readonly slot: ExecutionSlot;
  readonly target: AgentTarget;
  readonly records: SessionRecords;
  readonly submissions: SubmissionTable;
  readonly #events: EventStore;
  readonly #table: TurnTable;
  readonly #queue: RequestJournal;
  readonly #late: LatePrompts | null;
  readonly #parts: OwnedParts;

  private constructor(parts: OwnedParts) {
    const { paths, target, ownership, clock, print } = parts;
    this.#parts = parts;
    this.target = target;
    this.#events = new EventStore({
      name: queueStore(paths, 'server'),
      schemas: sessionSchemas,
      files: [
        { name: 'events.jsonl', path: paths.events, lineOf: toEventLine, formerLineOf: toFormerEventLine },
        { name: 'gateway.log', path: paths.log, lineOf: toLogLine },
      ],
      followers: [],
      committed: () => undefined,
      faultChanged: () => undefined,
      clock,
      print,
    });
    const { store, journal, watch: storage } = this.#events;
    const report = (fault: string): void => this.#events.report(fault);
    const table = new TurnTable(store);
    this.#table = table;
    this.#queue = new RequestJournal(store, journal);
    this.records = new SessionRecords(store);
    this.submissions = new SubmissionTable(store);
    this.slot = new ExecutionSlot(() => undefined);
    const { slot } = this;
    this.axes = new DirectAxes({ target, slot, storage, blocked: parts.blocked, clock });
    const { terminal } = target;
    this.#late = terminal && new LatePrompts({ table, journal, clock, terminal, report });
    this.turns = new TurnService({
      ownership,
      target,
      journal,
      table,
      slot,
      clock,
      report,
      outlive: true,
      ended: (turnId) => {
        this.#late?.look();
        parts.ended(turnId);
      },
    });
    this.prompts = new DirectPrompts({
      journal,
      axes: this.axes,
      slot,
      turns: this.turns,
      target,
      tool: parts.tool,
      clock,
      override: new SessionOverride(),
    });
  }

  /**
   * Opens the session and goes on with the turn that its last owner left, or was running when it died.
   * @throws {UnusableFile} when its database cannot be used.
   */
  static async open(parts: OwnedParts): Promise<OwnedSession> {
    const owned = new OwnedSession(parts);
    try {
      // A terminal that was not observed yet would count as gone.
      await owned.axes.observe();
      await owned.#adopt();
      owned.#events.watch.start();
      return owned;
    } catch (error) {
      await owned.leave();
      throw error;
    }
  }

  /** Stores the answer to a key; resolves when it is on disk. */
  keepAnswer(key: string, answer: StoredTurnSubmission): Promise<void> {
    return this.#events.journal.write(() => this.submissions.insert(key, answer));
  }

  /** Leaves the running turn to the next owner and closes everything. The caller that took the ownership gives it back. */
  async leave(): Promise<void> {
    await this.turns.leaveRunning();
    this.#events.watch.letGo();
    await this.#events.watch.stop();
    this.#events.feed.close();
    await this.#events.close();
  }

  async #adopt(): Promise<void> {
    const { journal } = this.#events;
    const { paths, identity, clock } = this.#parts;
    const table = this.#table;
    const [running] = table.running();
    // The turn then goes on even when this process dies.
    if (running) await journal.write(() => table.goingOn.note(running.turn_id));
    // A terminal that was not observed yet would count as gone.
    if (running) await this.target.terminal?.observe();
    adoptRunning({
      journal,
      table,
      turns: this.turns,
      queue: this.#queue,
      waiters: new Waiters(),
      report: (fault) => this.#events.report(fault),
    });
    this.#late?.look();
    await recover({
      runsOn: ({ turn_id }) => turn_id === this.turns.liveTurnId,
      journal,
      turns: table,
      queue: this.#queue,
      clock,
      session: { identity, run: paths.run },
    });
  }
}

interface AxesParts {
  target: Pick<AgentTarget, 'inspect'>;
  slot: ExecutionSlot;
  storage: Pick<StorageWatch, 'fault' | 'look'>;
  /** Whether work for an earlier instance of the agent is not settled. */
  blocked: () => boolean;
  clock: Clock;
}

/** The axes for prompts that the server itself hands to an agent, without a queue between them. */
class DirectAxes implements AxesSource {
  readonly #parts: AxesParts;
  readonly #watch: AgentWatch;

  constructor(parts: AxesParts) {
    this.#parts = parts;
    this.#watch = new AgentWatch(parts.target, parts.clock, async () => undefined);
  }

  now(): Axes {
    const { slot, storage, blocked } = this.#parts;
    return {
      storageFault: storage.fault?.detail ?? null,
      agent: this.#watch.inspection,
      needsReconciliation: blocked(),
      epoch: 0,
      paused: false,
      holder: slot.holder,
      slotFree: slot.free,
      // Requests in the queue of a gateway that has ended wait for the next gateway.
      queueDepth: 0,
    };
  }

  async current(): Promise<Axes> {
    if (this.#watch.isStale) await this.observe();
    return this.now();
  }

  async observe(): Promise<Axes> {
    this.#parts.storage.look();
    await this.#watch.inspect();
    return this.now();
  }
}
