import type { Clock } from '../../foundation/clock.js';
import type { Tmux } from '../../terminal/tmux.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';

/** The age up to which the known tmux sessions are used when a caller asks for agents. */
const freshMilliseconds = 1000;

/** The tmux sessions that exist. tmux is asked at most once at a time, and only on demand. */
export class LiveSessions {
  readonly #servers: () => readonly Tmux[];
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  /** The names by socket, as each server last reported them; null where it never did. */
  #names: ReadonlyMap<string | null, ReadonlySet<string> | null> = new Map([[null, null]]);
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | null = null;
  #fault: string | null = null;

  /**
   * @param servers returns those that may have a session of an agent, as they are known now.
   * @param report called once when a server cannot be asked, and again when the reason changes.
   */
  constructor(servers: () => readonly Tmux[], clock: Clock, report: (fault: string) => void) {
    this.#servers = servers;
    this.#clock = clock;
    this.#report = report;
  }

  /**
   * Decides whether a session exists, by tmux's last answer. While a server was never asked, or could not be, no agent
   * counts as gone.
   */
  has(name: string): boolean {
    return [...this.#names.values()].some((names) => names?.has(name) ?? true);
  }

  /** Asks tmux, unless what is known is fresh. @returns whether anything has changed. */
  refresh(): Promise<boolean> {
    return this.#clock.monotonic() - this.#askedAt < freshMilliseconds ? Promise.resolve(false) : this.ask();
  }

  /**
   * Asks tmux; a call that is made meanwhile gets the same answer.
   * @returns whether anything has changed.
   */
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
