import type { Clock } from '../foundation/clock.js';
import { WakefulLoop } from '../foundation/wakeful-loop.js';
import { Pane, type PaneStatus } from './pane.js';
import {
  matchingProcesses,
  processNames,
  processTree,
  type TreeProcess,
  toolProcess,
} from './process-tree.js';
import type { ControlListener, TmuxControl } from './tmux-control.js';
import { TmuxFault } from './tmux-fault.js';
import type { PollOutcome } from './tracker/diagnostics.js';
import type { TerminalState } from './tracker/terminal-state.js';
import type { TerminalTracker } from './tracker/terminal-tracker.js';

/** A screen of which tmux says that nothing was written is read again after this many looks all the same. */
const looksPerRead = 60;

/** Rows of the history that are read with the screen: an answer may be longer than the screen is high. */
const historyRows = 250;

const paneFormat = '#{window_index} #{pane_id} #{pane_pid} #{pane_dead}';

export interface TerminalWatchParts {
  session: string;
  /** Connects to the tmux server of the session. @throws {TmuxFault} */
  connect: (listener: ControlListener) => Promise<TmuxControl>;
  tracker: TerminalTracker;
  /** Names of the tool's process, in lower case. */
  toolNames: ReadonlySet<string>;
  pollSeconds: number;
  clock: Clock;
  /** Called after each look with the tool's process, null where none runs, and the title that the pane has. */
  saw: (tool: TreeProcess | null, title: string) => void;
  /** Called with all that the agent's pane is written, as tmux escapes it. */
  heard: (data: string) => void;
  /** Called when a look has changed what is known. */
  changed: () => void;
  report: (fault: string) => void;
}

/**
 * Looks at the terminal of one agent again and again and tells its {@link TerminalTracker} what it found. Nothing is read
 * while tmux says that nothing was written.
 */
export class TerminalWatch {
  readonly #parts: TerminalWatchParts;
  readonly #loop: WakefulLoop;
  /** Set while it is open, or being opened. */
  #control: Promise<TmuxControl> | null = null;
  #stopped = false;
  #paneId: string | null = null;
  #text: string | null = null;
  #looksSinceRead = 0;
  #looking: Promise<TerminalState> | null = null;
  #status: PaneStatus | null = null;
  #tool: TreeProcess | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(parts: TerminalWatchParts) {
    this.#parts = parts;
    const pause = parts.pollSeconds * 1000;
    this.#loop = new WakefulLoop({
      step: async () => {
        await this.look();
        return pause;
      },
      fault: (error) => {
        parts.report(`the terminal could not be looked at: ${error.message}`);
        return pause;
      },
      clock: parts.clock,
    });
  }

  get tracker(): TerminalTracker {
    return this.#parts.tracker;
  }

  /** The pane at the last look; null where it could not be looked at. */
  get status(): PaneStatus | null {
    return this.#status;
  }

  /** The tool's process at the last look; null where none ran. */
  get tool(): TreeProcess | null {
    return this.#tool;
  }

  start(): void {
    this.#loop.start();
  }

  /** Resolves at the next look or when the program writes, whatever comes first, and after the stop. */
  stirred(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Looks no more, and leaves nothing open. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await this.#looking;
    const control = await this.#control?.catch(() => null);
    await control?.close();
    this.stir();
  }

  /** Wakes whoever waits for a sign: also what is heard of the agent elsewhere is one. */
  stir(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Looks now, or joins the look that is under way; after the stop, what was seen last. */
  look(): Promise<TerminalState> {
    if (this.#stopped) return Promise.resolve(this.tracker.state);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The agent's pane. @throws {TmuxFault} when there is none. */
  async pane(): Promise<Pane> {
    const control = await this.#connected();
    const found = await this.#findPane(control);
    if (!found) throw new TmuxFault(`tmux: session ${this.#parts.session} has no window 0`);
    return new Pane(control, found.paneId);
  }

  async #look(): Promise<TerminalState> {
    const before = this.tracker.state;
    const outcome = await this.#outcome();
    const state = this.tracker.observe(outcome);
    // A look that failed says nothing of the tool.
    if (outcome.kind !== 'probe_failed') {
      if (outcome.kind !== 'captured') this.#tool = null;
      this.#parts.saw(this.#tool, this.#status?.title ?? '');
    }
    if (
      state.transitions.at(-1) !== before.transitions.at(-1) ||
      state.stability.stable !== before.stability.stable
    )
      this.#parts.changed();
    this.stir();
    return state;
  }

  async #outcome(): Promise<PollOutcome> {
    let step: 'tmux' | 'process' | 'capture' = 'tmux';
    this.#status = null;
    try {
      const control = await this.#connected();
      const facts = await this.#findPane(control);
      if (!facts) return this.#forget({ kind: 'session_missing' });
      const pane = new Pane(control, facts.paneId);
      const status = await pane.status();
      this.#status = status;
      step = 'process';
      const running = status.dead ? [] : this.#toolsOf(status);
      const seen = { paneId: pane.id, panePid: status.pid, processNames: processNames(running) };
      if (running.length === 0) return this.#forget({ kind: 'tool_down', ...seen });
      this.#tool = toolProcess(running);
      step = 'capture';
      return { kind: 'captured', text: await this.#read(pane), ...seen };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#forget(null);
      return isAbsence(error)
        ? { kind: 'session_missing' }
        : { kind: 'probe_failed', step, message: error.message };
    }
  }

  /** The text of the pane; the last one where nothing was written since. */
  async #read(pane: Pane): Promise<string> {
    this.#looksSinceRead += 1;
    if (this.#text !== null && this.#looksSinceRead < looksPerRead) return this.#text;
    this.#looksSinceRead = 0;
    // Taken as read before it is: what is written meanwhile clears it again.
    this.#text = '';
    const text = await pane.capture(historyRows);
    this.#text = this.#text === null ? null : text;
    return text;
  }

  #forget<T>(outcome: T): T {
    this.#text = null;
    return outcome;
  }

  #toolsOf({ pid }: Pick<PaneStatus, 'pid'>) {
    return matchingProcesses(processTree(pid), this.#parts.toolNames);
  }

  #connected(): Promise<TmuxControl> {
    if (this.#stopped) return Promise.reject(new TmuxFault('tmux: the terminal is not watched any more'));
    const closed = (): void => {
      this.#control = null;
      this.#forget(null);
    };
    this.#control ??= this.#parts.connect({
      wrote: (paneId, data) => {
        if (paneId !== this.#paneId) return;
        this.#parts.heard(data);
        this.#text = null;
        this.stir();
      },
      closed,
    });
    this.#control.catch(closed);
    return this.#control;
  }

  /**
   * The pane of window 0 that the agent runs in. Somebody may split the window and work beside it: once found it is the same
   * one as long as it is there, and at first it is the one with the tool.
   */
  async #findPane(control: TmuxControl): Promise<{ paneId: string } | null> {
    const lines = await control.ask(['list-panes', '-s', '-t', `=${this.#parts.session}`, '-F', paneFormat]);
    const panes = lines
      .map((line) => line.split(' '))
      .filter(([index]) => index === '0')
      .map(([, paneId = '', pid, dead]) => ({ paneId, pid: Number(pid), alive: dead === '0' }));
    const best =
      panes.find(({ paneId }) => paneId === this.#paneId) ??
      panes.find(({ alive, pid }) => alive && this.#toolsOf({ pid }).length > 0) ??
      panes.find(({ alive }) => alive) ??
      panes[0];
    if (best && best.paneId !== this.#paneId) {
      this.#paneId = best.paneId;
      this.#text = null;
    }
    return best ?? null;
  }
}

/** Whether tmux says that the session, or the whole server, is not there. */
const isAbsence = (error: Error): boolean =>
  error instanceof TmuxFault &&
  /can't find session|no server running|no sessions|error connecting to .*(No such file|refused)|server (has ended|exited)/.test(
    error.message,
  );
