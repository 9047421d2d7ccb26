import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { DirectPrompts } from '../../dispatch/direct-prompt.js';
import { openSessionStore, SessionRuntime } from '../../dispatch/queue/session-runtime.js';
import type { AxesSource } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { Waiters } from '../../foundation/concurrency.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { IdempotencyKeys, type KeyedCall } from '../../storage/idempotency-keys.js';
import type { ExecutionSlot } from '../../turn/live-turn.js';
import type { MetadataTable } from '../../turn/prompt-metadata.js';
import type { TurnOwnership } from '../../turn/turn-ownership.js';
import type { TurnService } from '../../turn/turn-service.js';
import { SessionRecords } from './session-records.js';

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
  /** Woken with the id of a turn when its end is on disk. */
  waiters: Waiters;
}

/** A session while this server runs its turns: the same store, tables and events that a gateway has. */
export class OwnedSession {
  readonly records: SessionRecords;
  /** The keys of prompts and interrupts that this server gives the agent, each with its turn. */
  readonly keys: IdempotencyKeys;
  readonly #runtime: SessionRuntime;
  readonly #clock: Clock;

  private constructor(parts: OwnedParts) {
    this.#clock = parts.clock;
    this.#runtime = new SessionRuntime({
      ...parts,
      events: openSessionStore({ ...parts, program: 'server' }),
      outlive: true,
      // Requests in the queue of a gateway that has ended wait for the next gateway.
      ownAxes: () => ({ needsReconciliation: parts.blocked(), epoch: 0, paused: false, queueDepth: 0 }),
    });
    const { store } = this.#runtime.events;
    this.records = new SessionRecords(store);
    this.keys = new IdempotencyKeys(store, 'server');
  }

  get prompts(): DirectPrompts {
    return this.#runtime.prompts;
  }
  get turns(): TurnService {
    return this.#runtime.turns;
  }
  get metadata(): MetadataTable {
    return this.#runtime.turnTable.metadata;
  }
  get axes(): AxesSource {
    return this.#runtime.axes;
  }
  get slot(): ExecutionSlot {
    return this.#runtime.slot;
  }
  get target(): AgentTarget {
    return this.#runtime.target;
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
      await owned.#runtime.settle();
      owned.#runtime.events.watch.start();
      return owned;
    } catch (error) {
      await owned.leave();
      throw error;
    }
  }

  /** Stores the answer to a key; resolves when it is on disk. */
  keepAnswer(key: string, answer: Omit<KeyedCall, 'at'>): Promise<void> {
    const at = this.#clock.now().getTime();
    return this.#runtime.events.journal.write(() => this.keys.insert(key, { ...answer, at }));
  }

  /** Leaves the running turn to the next owner and closes everything. The caller that took the ownership gives it back. */
  async leave(): Promise<void> {
    const { events } = this.#runtime;
    await this.turns.leaveRunning();
    events.watch.letGo();
    await events.watch.stop();
    events.feed.close();
    await events.close();
  }
}
