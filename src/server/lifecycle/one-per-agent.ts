import { OneAtATime } from '../../foundation/one-at-a-time.js';
import type { ManagedAgent } from '../directory/managed-agent.js';

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
