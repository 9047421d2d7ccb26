import type { Clock } from '../foundation/clock.js';
import { signalGroup } from '../foundation/signals.js';

// An agent that has reported its result:
//
//   at work ──result, no task in the background──▶ lingering ──5 s without a row──▶ told to end
//      ▲  └──result, tasks in the background──▶ waiting for them ──the last one has ended──▶ awaited
//      └──────────────────────────a row of the next result─────────────────────────────────────┘
//
// The end of a task wakes the agent for another answer. One that is not woken then, and does not exit, is ended at last.

/** An agent that has reported its result but does not exit is ended this long after its last row. */
const lingerMilliseconds = 5000;
/** The model may think for minutes before it says what it makes of a task that has ended. */
const awaitedMilliseconds = 600_000;

/** Ends an agent that has reported its result and then does not exit. */
export class Linger {
  readonly #pid: number;
  readonly #finished: AbortSignal;
  readonly #clock: Clock;
  #resulted = false;
  #tasks = 0;
  #patience = lingerMilliseconds;
  #quiet = new AbortController();

  /** @param pid leader of the agent's process group. @param finished aborts when the agent has ended. */
  constructor(pid: number, finished: AbortSignal, clock: Clock) {
    this.#pid = pid;
    this.#finished = finished;
    this.#clock = clock;
  }

  /** The agent reported its result. */
  completed(): void {
    this.#resulted = true;
    this.#patience = lingerMilliseconds;
    this.row();
  }

  /** So many tasks of the agent are at work in the background now. */
  tasks(count: number): void {
    if (this.#resulted && this.#tasks > 0 && count === 0) this.#patience = awaitedMilliseconds;
    this.#tasks = count;
    this.row();
  }

  /** The agent said something. */
  row(): void {
    this.#quiet.abort();
    if (this.#resulted && this.#tasks === 0) this.#arm().catch(() => undefined);
  }

  async #arm(): Promise<void> {
    this.#quiet = new AbortController();
    const patience = AbortSignal.any([this.#quiet.signal, this.#finished]);
    await this.#clock.sleep(this.#patience, patience);
    if (patience.aborted) return;
    signalGroup(this.#pid, 'SIGTERM');
    await this.#clock.sleep(lingerMilliseconds, this.#finished);
    if (!this.#finished.aborted) signalGroup(this.#pid, 'SIGKILL');
  }
}
