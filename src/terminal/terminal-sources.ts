import type { Clock } from '../foundation/clock.js';
import { WakefulLoop } from '../foundation/concurrency.js';
import { type ListedPane, listPanes } from './pane-listing.js';
import type {
  ControlListener,
  Listed,
  RepeatedObservation,
  TerminalConnection,
  TerminalSource,
} from './terminal-source.js';
import type { Tmux } from './tmux.js';
import type { TmuxControl } from './tmux-control.js';
import { isAbsent, TmuxFault } from './tmux-fault.js';

// The connection that many terminals share:
//
//   none ──a command──▶ opening ──▶ open ──its session or the server ends, close──▶ none
//             ▲                 │
//             └──a pause── refused
//
// A connection ends with its session, although other sessions may go on: commands that only read are then sent again over a new
// one.

/** The pause between two attempts while tmux refuses a connection: each attempt starts a program. */
const againMilliseconds = 1000;

/** Commands that change nothing if tmux runs them twice. */
const reading: ReadonlySet<string> = new Set(['capture-pane', 'list-panes', 'display-message']);

interface Refused {
  fault: unknown;
  until: number;
}

interface Follower {
  session: string;
  look: (listed: Listed) => Promise<void>;
}

export interface SharedTmuxParts {
  tmux: Tmux;
  clock: Clock;
  /** The pause between two rounds. */
  pollSeconds: number;
}

/**
 * Observes many terminals of one tmux server over one connection. In each round tmux lists all panes once, and each terminal
 * reads its own line of that. Output of programs is not reported, but the second of their last output is.
 */
export class SharedTmux implements TerminalSource {
  readonly #parts: SharedTmuxParts;
  readonly #followers = new Set<Follower>();
  readonly #rounds: WakefulLoop;
  #control: Promise<TmuxControl> | null = null;
  #refused: Refused | null = null;
  #closed = false;

  constructor(parts: SharedTmuxParts) {
    this.#parts = parts;
    const pause = parts.pollSeconds * 1000;
    this.#rounds = new WakefulLoop({
      step: async () => {
        if (this.#followers.size === 0) return WakefulLoop.untilWoken;
        await this.#round();
        return pause;
      },
      fault: () => pause,
      clock: parts.clock,
    });
    this.#rounds.start();
  }

  async connect(session: string): Promise<TerminalConnection> {
    const ask = <T>(command: string | undefined, work: (control: TmuxControl) => Promise<T>): Promise<T> =>
      this.#ask(session, work, reading.has(command ?? ''));
    const asker = {
      ask: (args: readonly string[]) => ask(args[0], (control) => control.ask(args)),
      askAll: (args: readonly string[]) => ask(args[0], (control) => control.askAll(args)),
    };
    return {
      ...asker,
      hears: false,
      panes: (name) => listPanes(asker, ['-s', '-t', `=${name}:`]),
      close: async () => undefined,
    };
  }

  follow(session: string, look: (listed: Listed) => Promise<void>): RepeatedObservation {
    const follower: Follower = { session, look };
    this.#followers.add(follower);
    this.#rounds.wake();
    return {
      stop: async () => {
        this.#followers.delete(follower);
      },
    };
  }

  /** Decides whether there is a session of that name. @throws {TmuxFault} if that cannot be determined. */
  async hasSession(session: string): Promise<boolean> {
    try {
      await this.#ask(session, (control) => control.ask(['has-session', '-t', `=${session}`]), true);
      return true;
    } catch (error) {
      if (error instanceof TmuxFault && isAbsent(error)) return false;
      throw error;
    }
  }

  /** Ends the connection; no command can be sent any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#followers.clear();
    await this.#rounds.stop();
    const control = await this.#control?.catch(() => null);
    await control?.close();
  }

  async #round(): Promise<void> {
    const [first] = this.#followers;
    if (!first) return;
    const listed = await this.#listed(first.session);
    await Promise.all([...this.#followers].map(({ session, look }) => look(() => listed(session))));
  }

  async #listed(session: string): Promise<(session: string) => readonly ListedPane[]> {
    try {
      const all = await this.#ask(session, (control) => listPanes(control, ['-a']), true);
      const bySession = new Map<string, ListedPane[]>();
      for (const pane of all) {
        const panes = bySession.get(pane.session);
        if (panes) panes.push(pane);
        else bySession.set(pane.session, [pane]);
      }
      return (name) => bySession.get(name) ?? [];
    } catch (fault) {
      return () => {
        throw fault;
      };
    }
  }

  /** @param again whether the command may be sent again if a connection ended before the answer. */
  async #ask<T>(session: string, work: (control: TmuxControl) => Promise<T>, again: boolean): Promise<T> {
    const control = this.#connected(session);
    try {
      return await work(await control);
    } catch (error) {
      const lost = error instanceof TmuxFault && error.outcomeUnknown && again && !this.#closed;
      // A server that did not answer has used up its time.
      if (!lost || this.#control === control || /did not answer/.test(error.message)) throw error;
      return work(await this.#connected(session));
    }
  }

  #connected(session: string): Promise<TmuxControl> {
    const { tmux, clock } = this.#parts;
    if (this.#closed) return Promise.reject(new TmuxFault('tmux: the terminals are not watched any more'));
    if (this.#refused && clock.monotonic() < this.#refused.until) return Promise.reject(this.#refused.fault);
    if (this.#control) return this.#control;
    this.#refused = null;
    const opening = tmux.deafControl(session, () => this.#forget(opening));
    this.#control = opening;
    opening.catch((fault: unknown) => {
      this.#refused = { fault, until: clock.monotonic() + againMilliseconds };
      this.#forget(opening);
    });
    return opening;
  }

  #forget(control: Promise<TmuxControl>): void {
    if (this.#control === control) this.#control = null;
  }
}

/** Observes terminals whose tmux server is not recorded: the server is searched for when a terminal is first used. */
export class FoundSource implements TerminalSource {
  readonly #find: (session: string) => Promise<SharedTmux>;
  #found: Promise<SharedTmux> | null = null;

  constructor(find: (session: string) => Promise<SharedTmux>) {
    this.#find = find;
  }

  async connect(session: string): Promise<TerminalConnection> {
    return (await this.#of(session)).connect(session);
  }

  follow(session: string, look: (listed: Listed) => Promise<void>): RepeatedObservation {
    const following = this.#of(session).then((shared) => shared.follow(session, look));
    return { stop: async () => (await following).stop() };
  }

  #of(session: string): Promise<SharedTmux> {
    this.#found ??= this.#find(session);
    return this.#found;
  }
}

/** Observes one terminal over a connection of its own, which reports output at once. */
export class OwnTerminalSource implements TerminalSource {
  readonly #find: () => Promise<Tmux>;
  readonly #pollMilliseconds: number;
  readonly #clock: Clock;

  /** @param find finds the server that has the session now. */
  constructor(find: () => Promise<Tmux>, { pollSeconds, clock }: { pollSeconds: number; clock: Clock }) {
    this.#find = find;
    this.#pollMilliseconds = pollSeconds * 1000;
    this.#clock = clock;
  }

  async connect(session: string, listener: ControlListener): Promise<TerminalConnection> {
    return (await this.#find()).control(session, listener);
  }

  follow(_session: string, look: (listed: Listed) => Promise<void>): RepeatedObservation {
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
