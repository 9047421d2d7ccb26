import type { Clock } from '../../foundation/clock.js';
import type { Tmux } from '../../terminal/tmux.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';

/** So old may be what is known of the tmux sessions when somebody asks for agents. */
const freshMilliseconds = 1000;

/** Which tmux sessions there are: asked of tmux at most once at a time, and only when somebody wants to know. */
export class LiveSessions {
  readonly #servers: () => readonly Tmux[];
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  /** By socket, as each server last said; null where it never said anything. */
  #names: ReadonlyMap<string | null, ReadonlySet<string> | null> = new Map([[null, null]]);
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | null = null;
  #fault: string | null = null;

  /**
   * @param servers those that may have a session of an agent, as they are known now.
   * @param report told once when one cannot be asked, and again when the reason changes.
   */
  constructor(servers: () => readonly Tmux[], clock: Clock, report: (fault: string) => void) {
    this.#servers = servers;
    this.#clock = clock;
    this.#report = report;
  }

  /** As far as tmux last said. While a server was never asked, or could not be, an agent is not taken for gone. */
  has(name: string): boolean {
    return [...this.#names.values()].some((names) => names?.has(name) ?? true);
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
    const faults: string[] = [];
    const said = async (server: Tmux) => {
      const names = await server.sessionNames().catch((error: unknown) => {
        if (!(error instanceof TmuxFault)) throw error;
        faults.push(error.message);
        return before.get(server.socketPath) ?? null;
      });
      return [server.socketPath, names] as const;
    };
    this.#names = new Map(await Promise.all(this.#servers().map(said)));
    const fault = faults.join('; ') || null;
    if (fault !== null && fault !== this.#fault)
      this.#report(`it is not known which agents in terminals are running: ${fault}`);
    this.#fault = fault;
    this.#askedAt = this.#clock.monotonic();
    return inWords(before) !== inWords(this.#names);
  }
}

const inWords = (names: ReadonlyMap<string | null, ReadonlySet<string> | null>): string =>
  JSON.stringify([...names].map(([socket, some]) => [socket, some && [...some].sort()]));
