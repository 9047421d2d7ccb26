import type { Clock } from '../../foundation/clock.js';
import type { Tmux } from '../../terminal/tmux.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';

/** So old may be what is known of the tmux sessions when somebody asks for agents. */
const freshMilliseconds = 1000;

/** Which tmux sessions there are: asked of tmux at most once at a time, and only when somebody wants to know. */
export class LiveSessions {
  readonly #tmux: Tmux;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  #names: ReadonlySet<string> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | null = null;
  #fault: string | null = null;

  /** @param report told once when tmux cannot be asked, and again when the reason changes. */
  constructor(tmux: Tmux, clock: Clock, report: (fault: string) => void) {
    this.#tmux = tmux;
    this.#clock = clock;
    this.#report = report;
  }

  /** As far as tmux last said. While it was never asked, or could not be, an agent is not taken for gone. */
  has(name: string): boolean {
    return this.#names?.has(name) ?? true;
  }

  /** Asks tmux, unless what is known is fresh. @returns whether anything has changed. */
  refresh(): Promise<boolean> {
    return this.#clock.monotonic() - this.#askedAt < freshMilliseconds ? Promise.resolve(false) : this.ask();
  }

  /** Asks tmux; who asks meanwhile gets the answer to that question too. @returns whether anything has changed. */
  ask(): Promise<boolean> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    const before = this.#names;
    try {
      this.#names = await this.#tmux.sessionNames();
      this.#fault = null;
    } catch (error) {
      if (!(error instanceof TmuxFault)) throw error;
      if (this.#fault !== error.message)
        this.#report(`which agents in terminals live is not known: ${error.message}`);
      this.#fault = error.message;
    }
    this.#askedAt = this.#clock.monotonic();
    return !areEqual(before, this.#names);
  }
}

const areEqual = (one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean =>
  one === other || (one?.size === other?.size && [...(one ?? [])].every((name) => other?.has(name)));
