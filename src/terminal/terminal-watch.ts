import type { Clock } from '../foundation/clock.js';
import type { RecordedPane } from '../session/manifest-facts.js';
import { Pane, type PaneStatus } from './pane.js';
import { type ListedPane, ownPaneIn, paneToWatch } from './pane-listing.js';
import {
  matchingProcesses,
  processNames,
  processTree,
  type TreeProcess,
  toolProcess,
} from './process-tree.js';
import { ReadText } from './read-text.js';
import type { Listed, RepeatedObservation, TerminalConnection, TerminalSource } from './terminal-source.js';
import { isAbsent, TmuxFault } from './tmux-fault.js';
import type { PollOutcome } from './tracker/observation.js';
import type { TerminalState } from './tracker/terminal-state.js';
import type { TerminalTracker } from './tracker/terminal-tracker.js';

/** The number of rows of the history that are read with the screen: an answer may be longer than the screen is high. */
const historyRows = 250;

/** A terminal in which nothing changes any more, even with time, is observed only after this many skipped visits. */
const quietVisits = 10;

export interface TerminalWatchParts {
  session: string;
  /** Returns the agent's current pane; null if nothing records it. Called when the pane is not found in the listing. */
  recorded: () => RecordedPane | null;
  source: TerminalSource;
  tracker: TerminalTracker;
  /** The names of the tool's process, in lower case. */
  toolNames: ReadonlySet<string>;
  clock: Clock;
  /** Called after each observation that did not fail, with the tool's process, null if none runs, and the title of the pane. */
  saw: (tool: TreeProcess | null, title: string) => void;
  /** Called with all output to the agent's pane, as tmux escapes it. */
  heard: (data: string) => void;
  /** Called when an observation has changed the known state. */
  changed: () => void;
  report: (fault: string) => void;
}

// Whether the terminal is observed repeatedly:
//
//   resting ──start──▶ watching ──rest──▶ resting      any of them ──stop──▶ stopped
//
// An observation can be requested in both states; after the stop there are none.

/**
 * Observes the terminal of one agent repeatedly and passes the results to its {@link TerminalTracker}. The text is not read while
 * tmux reports no output.
 */
export class TerminalWatch {
  readonly #parts: TerminalWatchParts;
  /** Set while watching. */
  #following: RepeatedObservation | null = null;
  /** Set while it is open, or being opened. */
  #connection: Promise<TerminalConnection> | null = null;
  #stopped = false;
  #pane: ListedPane | null = null;
  #recorded: RecordedPane | null = null;
  readonly #text: ReadText;
  #visitsPassed = 0;
  /** The time at which the state was last confirmed, by an observation or by finding that nothing has changed. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #observing: Promise<TerminalState> | null = null;
  #status: PaneStatus | null = null;
  #lost: string | null = null;
  #tool: TreeProcess | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(parts: TerminalWatchParts) {
    this.#parts = parts;
    this.#text = new ReadText(parts.clock);
  }

  get tracker(): TerminalTracker {
    return this.#parts.tracker;
  }

  /** The pane at the last observation; null if it could not be observed. */
  get status(): PaneStatus | null {
    return this.#status;
  }

  /** Why there is no pane to observe although there is a session, as a sentence; null if that is not so. */
  get lost(): string | null {
    return this.#lost;
  }

  /** The tool's process at the last observation; null if none ran. */
  get tool(): TreeProcess | null {
    return this.#tool;
  }

  get watching(): boolean {
    return this.#following !== null;
  }

  /** Starts watching. Does nothing while watching. */
  start(): void {
    if (this.#stopped) return;
    const { source, session } = this.#parts;
    this.#following ??= source.follow(session, (listed) => this.#visit(listed));
  }

  /** Ends the repeated observation. The known state stays, and {@link start} continues from it. */
  async rest(): Promise<void> {
    const following = this.#following;
    this.#following = null;
    await following?.stop();
    await this.#observing;
    await this.#disconnect();
  }

  /** Resolves at the next observation or when the program writes, whichever comes first, and after the stop. */
  stirred(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Ends all observation, and leaves nothing open. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.rest();
    this.stir();
  }

  /** Wakes all callers that wait for a sign: a report about the agent from elsewhere is one too. */
  stir(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Observes the terminal now, or joins a running observation; after the stop it returns the last state. */
  observe(): Promise<TerminalState> {
    if (this.#stopped) return Promise.resolve(this.tracker.state);
    return this.#observeListed(null);
  }

  /** Returns a state that is at most `milliseconds` old; the terminal is observed only if no such state is known. */
  seenWithin(milliseconds: number): Promise<TerminalState> {
    const known = this.watching && this.#parts.clock.monotonic() - this.#confirmedAt < milliseconds;
    return known ? Promise.resolve(this.tracker.state) : this.observe();
  }

  /** Returns the agent's pane. @throws {TmuxFault} if there is none. */
  async pane(): Promise<Pane> {
    const connection = await this.#connected();
    const found = this.#choose(await connection.panes(this.#parts.session));
    if (!found) throw new TmuxFault(paneGone(this.#parts.session));
    return new Pane(connection, found.paneId);
  }

  async #visit(listed: Listed): Promise<void> {
    try {
      if (!this.#isQuiet(listed)) await this.#observeListed(listed);
      else {
        this.#visitsPassed += 1;
        this.#confirmedAt = this.#parts.clock.monotonic();
      }
    } catch (error) {
      this.#parts.report(`the terminal could not be looked at: ${(error as Error).message}`);
    }
  }

  /** Decides whether an observation would find the same as the last one, and the time since then would not matter either. */
  #isQuiet(listed: Listed): boolean {
    const { tracker } = this.#parts;
    const before = this.#pane;
    if (listed === null || before === null || !tracker.settled || this.#visitsPassed >= quietVisits)
      return false;
    try {
      const now = this.#choose(listed());
      return now !== null && isSameSight(before, now) && this.#text.isOf(now);
    } catch {
      return false;
    }
  }

  #observeListed(listed: Listed): Promise<TerminalState> {
    this.#observing ??= this.#observeOnce(listed).finally(() => {
      this.#observing = null;
    });
    return this.#observing;
  }

  async #observeOnce(listed: Listed): Promise<TerminalState> {
    this.#visitsPassed = 0;
    const before = this.tracker.state;
    const outcome = await this.#outcome(listed);
    const state = this.tracker.observe(outcome);
    this.#confirmedAt = this.#parts.clock.monotonic();
    // A failed observation shows nothing about the tool.
    if (outcome.kind !== 'probe_failed') {
      if (outcome.kind !== 'captured') this.#tool = null;
      this.#parts.saw(this.#tool, this.#status?.title ?? '');
    }
    if (
      state.transitions.at(-1) !== before.transitions.at(-1) ||
      state.dialog?.id !== before.dialog?.id ||
      state.stability.stable !== before.stability.stable
    )
      this.#parts.changed();
    this.stir();
    return state;
  }

  async #outcome(listed: Listed): Promise<PollOutcome> {
    let step: 'tmux' | 'process' | 'capture' = 'tmux';
    this.#status = null;
    try {
      const connection = await this.#connected();
      const at = this.#text.now();
      const seen = this.#choose(listed ? listed() : await connection.panes(this.#parts.session));
      this.#pane = seen;
      this.#lost = seen === null ? paneGone(this.#parts.session) : null;
      if (!seen) return this.#forget({ kind: 'session_missing' });
      const { status, paneId } = seen;
      this.#status = status;
      step = 'process';
      const running = status.dead ? [] : this.#toolsOf(status);
      const facts = { paneId, panePid: status.pid, processNames: processNames(running) };
      if (running.length === 0) return this.#forget({ kind: 'tool_down', ...facts });
      this.#tool = toolProcess(running);
      step = 'capture';
      const capture = (): Promise<string> => new Pane(connection, paneId).capture(historyRows);
      const text = await this.#text.read(seen, { at, hears: connection.hears, capture });
      return { kind: 'captured', text, ...facts };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#forget(null);
      this.#lost = null;
      return isAbsent(error)
        ? { kind: 'session_missing' }
        : { kind: 'probe_failed', step, message: error.message };
    }
  }

  #forget<T>(outcome: T): T {
    this.#text.forget();
    return outcome;
  }

  #toolsOf({ pid }: Pick<PaneStatus, 'pid'>) {
    return matchingProcesses(processTree(pid), this.#parts.toolNames);
  }

  #connected(): Promise<TerminalConnection> {
    if (this.#stopped) return Promise.reject(new TmuxFault('tmux: the terminal is not watched any more'));
    const closed = (): void => {
      this.#connection = null;
      this.#forget(null);
    };
    this.#connection ??= this.#parts.source.connect(this.#parts.session, {
      wrote: (paneId, data) => {
        if (paneId !== this.#pane?.paneId) return;
        this.#parts.heard(data);
        this.#text.forget();
        this.stir();
      },
      closed,
    });
    this.#connection.catch(closed);
    return this.#connection;
  }

  async #disconnect(): Promise<void> {
    const connection = await this.#connection?.catch(() => null);
    this.#connection = null;
    await connection?.close();
  }

  /** Chooses the agent's pane. Its record is read again if the pane is not listed: the agent may have got another pane. */
  #choose(listed: readonly ListedPane[]): ListedPane | null {
    let own = ownPaneIn(listed, this.#recorded);
    if (!own.known || own.pane === null) {
      this.#recorded = this.#parts.recorded();
      own = ownPaneIn(listed, this.#recorded);
    }
    if (own.known) return own.pane;
    return paneToWatch(own.panes, this.#pane?.paneId, ({ status }) => this.#toolsOf(status).length > 0);
  }
}

const paneGone = (session: string): string =>
  `The agent's pane in the tmux session ${session} has been closed.`;

const isSameSight = (one: ListedPane, other: ListedPane): boolean =>
  one.paneId === other.paneId &&
  one.status.pid === other.status.pid &&
  one.status.dead === other.status.dead &&
  one.status.inMode === other.status.inMode &&
  one.status.alternateScreen === other.status.alternateScreen &&
  one.status.title === other.status.title;
