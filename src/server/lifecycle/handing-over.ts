import type { Clock } from '../../foundation/clock.js';
import { OneAtATime } from '../../foundation/concurrency.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { HeldSession } from '../sessions/held-session.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly } from '../turns/direct-turns.js';
import { whicheverRuns } from '../turns/submissions.js';

/** The runner of the turns of agents without a gateway, as far as handing agents over and ending them needs it. */
export interface TurnHolder {
  /**
   * Interrupts the running turn, even one that another process left, and waits for its end; a turn that outlasts its time
   * is killed.
   * @returns its id; null where none ran.
   * @throws {UnusableFile}, {StoreUnavailable} or {RecordsUnreadable} when it is unknown whether one runs.
   */
  endTurn(agent: ManagedAgent, patienceMilliseconds: number): Promise<string | null>;
  /**
   * Ends the gateway, and goes on with its turn.
   * @param end ends the gateway.
   */
  takeOver<T>(agent: ManagedAgent, end: () => Promise<T>): Promise<T>;
  /** Goes on with a turn that no process runs any more. */
  settle(agent: ManagedAgent): Promise<void>;
  /** Leaves the running turn, and releases everything that is held of the agent. */
  forget(agent: ManagedAgent): Promise<void>;
}

/** The turns that this server runs, as far as handing agents over and ending them needs them. */
export class SessionTurnHolder implements TurnHolder {
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
    // A turn that ignores the interrupt is ended nevertheless, and none begins after it.
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

/** The order of attaching, detaching and stopping: one at a time for each agent, at the same time for several agents. */
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
