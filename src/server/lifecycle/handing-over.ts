import type { Clock } from '../../foundation/clock.js';
import { OneAtATime } from '../../foundation/concurrency.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { HeldSession } from '../sessions/held-session.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly } from '../turns/direct-turns.js';
import { whicheverRuns } from '../turns/interrupts.js';

/** What handing agents over and ending them needs of whoever runs the turns of agents without a gateway. */
export interface TurnHolder {
  /**
   * Interrupts the turn that runs, also one that somebody left, and waits for its end; one that outlasts its time is killed.
   * @returns its id; null where none ran.
   * @throws {UnusableFile}, {StoreUnavailable} or {RecordsUnreadable} when nobody can say whether one runs.
   */
  endTurn(agent: ManagedAgent, patienceMilliseconds: number): Promise<string | null>;
  /** Has the gateway end, and goes on with its turn. @param end ends it. */
  takeOver<T>(agent: ManagedAgent, end: () => Promise<T>): Promise<T>;
  /** Goes on with a turn that nobody runs any more. */
  settle(agent: ManagedAgent): Promise<void>;
  /** Leaves what runs, and holds nothing of the agent any more. */
  forget(agent: ManagedAgent): Promise<void>;
}

/** The turns that this server runs, for who hands agents over and ends them. */
export class SessionTurns implements TurnHolder {
  readonly #sessions: Sessions;
  readonly #clock: Clock;

  constructor(sessions: Sessions, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  async endTurn(agent: ManagedAgent, patienceMilliseconds: number): Promise<string | null> {
    const held = this.#sessions.of(agent);
    if (!held) return null;
    await held.settle();
    const turnId = held.liveTurnId;
    if (turnId === null) return null;
    await held.use((owned) => interruptDirectly(owned, this.#clock, whicheverRuns));
    await this.#over(held, turnId, patienceMilliseconds);
    // One that takes no notice of an interrupt is ended all the same, and none begins after it.
    if (held.liveTurnId === turnId) await held.use((owned) => owned.turns.stopForShutdown());
    return turnId;
  }

  takeOver<T>(agent: ManagedAgent, end: () => Promise<T>): Promise<T> {
    return this.#sessions.of(agent)?.takeOver(end) ?? end();
  }

  async settle(agent: ManagedAgent): Promise<void> {
    await this.#sessions.of(agent)?.settle();
  }

  forget(agent: ManagedAgent): Promise<void> {
    return this.#sessions.forget(agent);
  }

  async #over(held: HeldSession, turnId: string, milliseconds: number): Promise<void> {
    if (held.liveTurnId !== turnId) return;
    await held.ended(turnId, milliseconds, new AbortController().signal);
  }
}

/** Attaching, detaching and stopping: of one agent one at a time, of several at once. */
export class OnePerAgent {
  readonly #lines = new Map<string, { line: OneAtATime; waiting: number }>();

  async run<T>({ transport, trackedAgentId }: ManagedAgent, work: () => Promise<T>): Promise<T> {
    const key = `${transport} ${trackedAgentId}`;
    const entry = this.#lines.get(key) ?? { line: new OneAtATime(), waiting: 0 };
    this.#lines.set(key, entry);
    entry.waiting += 1;
    try {
      return await entry.line.run(work);
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) this.#lines.delete(key);
    }
  }
}
