import type { Clock } from '../foundation/clock.js';
import { signalGroup } from '../foundation/signals.js';

/** An agent that has reported its result but does not exit is ended this long after its last row. */
const lingerMilliseconds = 5000;

/** Ends an agent that has reported its result and then does not exit. */
export class Linger {
  readonly #pid: number;
  readonly #finished: AbortSignal;
  readonly #clock: Clock;
  #resulted = false;
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
    this.row();
  }

  /** The agent said something. */
  row(): void {
    if (this.#resulted) this.#arm().catch(() => undefined);
  }

  async #arm(): Promise<void> {
    this.#quiet.abort();
    this.#quiet = new AbortController();
    const patience = AbortSignal.any([this.#quiet.signal, this.#finished]);
    await this.#clock.sleep(lingerMilliseconds, patience);
    if (patience.aborted) return;
    signalGroup(this.#pid, 'SIGTERM');
    await this.#clock.sleep(lingerMilliseconds, this.#finished);
    if (!this.#finished.aborted) signalGroup(this.#pid, 'SIGKILL');
  }
}
