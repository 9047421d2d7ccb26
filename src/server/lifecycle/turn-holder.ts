import type { ManagedAgent } from '../directory/managed-agent.js';

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
