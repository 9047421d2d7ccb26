import type { Clock } from '../../foundation/clock.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { HeldSession } from '../sessions/held-session.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly } from '../turns/direct-turns.js';
import { whicheverRuns } from '../turns/interrupted.js';
import type { TurnHolder } from './turn-holder.js';

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
