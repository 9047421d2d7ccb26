import { createHash } from 'node:crypto';
import type { TreeProcess } from '../../terminal/process-tree.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import {
  type AgentTerminal,
  type DialogAnswer,
  type DialogOutcome,
  type ScreenWanted,
  TerminalLost,
  type TerminalNames,
  type TerminalScreen,
} from '../target/agent-terminal.js';
import { answerDialog } from './answer-dialog.js';
import { LateTexts } from './stranded-prompt.js';
import { type TerminalParts, typePaced } from './terminal-check.js';

/** The time between two screens for the same caller: a person sees no more. */
const screenMilliseconds = 50;
/** How long it takes at most until a change is seen of which tmux gives no sign: its size, or that a person scrolls in it. */
const unstirredMilliseconds = 1000;

/** The terminal of an agent of this machine, as its watch observes it. */
export class WatchedTerminal implements AgentTerminal {
  readonly names: TerminalNames;
  readonly #parts: TerminalParts;
  readonly #late: LateTexts;
  readonly #tool: RestartedTool;
  /** The next sign of the watch, while callers wait for it. */
  #stir: Promise<void> | null = null;

  constructor(names: TerminalNames, parts: TerminalParts, tool: RestartedTool) {
    this.names = names;
    this.#parts = parts;
    this.#tool = tool;
    this.#late = new LateTexts(parts);
  }

  get #watch(): TerminalWatch {
    return this.#parts.watch;
  }

  get toolVersion() {
    return this.#tool.version;
  }
  get state() {
    return this.#watch.tracker.state;
  }
  observe() {
    return this.#watch.observe();
  }
  seenWithin(milliseconds: number) {
    return this.#watch.seenWithin(milliseconds);
  }
  async screen({ after, milliseconds, signal }: ScreenWanted): Promise<TerminalScreen> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + milliseconds;
    for (;;) {
      // Called before the screen is read: what is written meanwhile ends the wait at once.
      const stirred = this.#nextStir();
      const screen = await this.#readScreen();
      const left = deadline - clock.monotonic();
      if (screen.version !== after || left <= 0 || signal.aborted) return screen;
      const over = new AbortController();
      const look = clock.sleep(Math.min(left, unstirredMilliseconds), AbortSignal.any([signal, over.signal]));
      await Promise.race([stirred, look]);
      over.abort();
      await clock.sleep(screenMilliseconds, signal);
    }
  }

  /** All readers of the screen wait for one and the same sign. */
  #nextStir(): Promise<void> {
    this.#stir ??= this.#watch.stirred().finally(() => {
      this.#stir = null;
    });
    return this.#stir;
  }

  history(limit: number) {
    return this.#watch.tracker.history(limit);
  }
  notePrompt(prompt: string) {
    return this.#watch.tracker.notePrompt(prompt);
  }
  type(segments: readonly KeySegment[]): Promise<void> {
    return this.#typing(async () => typePaced(this.#parts, await this.#watch.pane(), segments));
  }
  answer(dialogId: string, answer: DialogAnswer): Promise<DialogOutcome> {
    return this.#typing(() => answerDialog(this.#parts, dialogId, answer));
  }
  removeLate(text: string, age: number): Promise<boolean> {
    return this.#late.remove(text, age);
  }
  get watched(): boolean {
    return this.#watch.watching;
  }
  start(): void {
    this.#watch.start();
  }
  rest(): Promise<void> {
    return this.#watch.rest();
  }
  async stop(): Promise<void> {
    await this.#late.stop();
    await this.#watch.stop();
    await this.#parts.report.close();
  }

  async #readScreen(): Promise<TerminalScreen> {
    try {
      const shown = await (await this.#watch.pane()).screen();
      const screen = { ...shown, draft: this.state.surface.editingInput };
      const version = createHash('sha256').update(JSON.stringify(screen)).digest('hex').slice(0, 16);
      return { ...screen, version };
    } catch (error) {
      throw lostWhere(error);
    }
  }

  async #typing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.typing.run(work);
    } catch (error) {
      throw lostWhere(error);
    }
  }
}

const lostWhere = (error: unknown): unknown =>
  error instanceof TmuxFault ? new TerminalLost(error.message, { cause: error }) : error;

/** The number of attempts: on a busy machine a tool may not answer in time; one that never answers has no known version. */
const mostTries = 3;

/**
 * Knows the version of the tool in a terminal. It is determined again after a restart of the tool, which may have been updated
 * and then draws other screens, and while it is not known: without it some screens cannot be read.
 */
export class RestartedTool {
  readonly #ask: () => Promise<string | null>;
  readonly #changed: (version: string) => void;
  #version: string | null;
  #pid: number | null = null;
  #triesLeft = 0;
  #asking = false;

  /**
   * @param version the version at the launch; null if it is not known.
   * @param ask returns the version that would be started now. It may fail.
   */
  constructor(version: string | null, ask: () => Promise<string | null>, changed: (version: string) => void) {
    this.#version = version;
    this.#ask = ask;
    this.#changed = changed;
  }

  get version(): string | null {
    return this.#version;
  }

  /** Takes the tool's process from each observation of the pane. Resolves when the version is up to date. */
  async saw(tool: TreeProcess | null): Promise<void> {
    if (tool === null) return;
    const { pid } = tool;
    if (pid !== this.#pid) {
      this.#triesLeft = this.#pid === null && this.#version !== null ? 0 : mostTries;
      this.#pid = pid;
    }
    if (this.#triesLeft === 0 || this.#asking) return;
    this.#triesLeft -= 1;
    this.#asking = true;
    const version = await this.#ask().catch(() => null);
    this.#asking = false;
    // The answer may be for the version before the restart if the tool was restarted meanwhile.
    if (version === null || pid !== this.#pid) return;
    this.#triesLeft = 0;
    if (version === this.#version) return;
    this.#version = version;
    this.#changed(version);
  }
}
