import type { KeySegment } from '../../terminal/key-sequence.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import {
  type AgentTerminal,
  type DialogAnswer,
  type DialogAnswered,
  TerminalLost,
  type TerminalNames,
} from '../target/agent-terminal.js';
import { answerDialog } from './answer-dialog.js';
import { LateTexts } from './late-texts.js';
import { typePaced } from './paced-keys.js';
import type { RestartedTool } from './restarted-tool.js';
import type { TerminalParts } from './terminal-parts.js';

/** The terminal of an agent of this machine, as its watch sees it. */
export class WatchedTerminal implements AgentTerminal {
  readonly names: TerminalNames;
  readonly #parts: TerminalParts;
  readonly #late: LateTexts;
  readonly #tool: RestartedTool;

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
  look() {
    return this.#watch.look();
  }
  seenWithin(milliseconds: number) {
    return this.#watch.seenWithin(milliseconds);
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
  answer(dialogId: string, answer: DialogAnswer): Promise<DialogAnswered> {
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

  async #typing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.typing.run(work);
    } catch (error) {
      throw error instanceof TmuxFault ? new TerminalLost(error.message, { cause: error }) : error;
    }
  }
}
