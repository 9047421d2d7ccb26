import type { Clock } from '../foundation/clock.js';
import { WakefulLoop } from '../foundation/wakeful-loop.js';
import type {
  ControlListener,
  Following,
  Listed,
  TerminalConnection,
  TerminalSource,
} from './terminal-source.js';
import type { Tmux } from './tmux.js';

/** For a program that watches one terminal: with a connection of its own it is told at once when something is written. */
export class OwnTerminalSource implements TerminalSource {
  readonly #find: () => Promise<Tmux>;
  readonly #pollMilliseconds: number;
  readonly #clock: Clock;

  /** @param find the server that has the session now. */
  constructor(find: () => Promise<Tmux>, { pollSeconds, clock }: { pollSeconds: number; clock: Clock }) {
    this.#find = find;
    this.#pollMilliseconds = pollSeconds * 1000;
    this.#clock = clock;
  }

  async connect(session: string, listener: ControlListener): Promise<TerminalConnection> {
    return (await this.#find()).control(session, listener);
  }

  follow(_session: string, look: (listed: Listed) => Promise<void>): Following {
    const loop = new WakefulLoop({
      step: async () => {
        await look(null);
        return this.#pollMilliseconds;
      },
      fault: () => this.#pollMilliseconds,
      clock: this.#clock,
    });
    loop.start();
    return loop;
  }
}
