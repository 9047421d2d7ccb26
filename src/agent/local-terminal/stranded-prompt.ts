import { TmuxFault } from '../../terminal/tmux-fault.js';
import { isSamePrompt } from '../../tools/pasted-prompt.js';
import type { SelfReportFact } from '../../tools/self-report/self-report.js';
import { clearComposer, composerContent, rowsToClear } from './prompt-readiness.js';
import { checkTerminal, nextSign, type TerminalParts } from './terminal-check.js';

/** The result of a removal: the text is gone, it is still there, or it was not seen at all. */
export type Removal = 'removed' | 'stands' | 'absent';

/** The time limit for a text to leave the composer, and for a late text to appear there. */
const enoughMilliseconds = 2000;

/**
 * Takes a text of ours out of the composer, and nothing else: a person's draft is not touched, and while a dialog is open no key
 * is pressed.
 * @param enough ends the wait for a text that is not there.
 */
export function removeStranded(
  parts: TerminalParts,
  text: string,
  enough: () => boolean = () => false,
): Promise<Removal> {
  return parts.typing.run(() => removeWhileTyping(parts, text, enough));
}

/** Like `removeStranded`, for a caller that is already typing. */
export async function removeWhileTyping(
  parts: TerminalParts,
  text: string,
  enough: () => boolean,
): Promise<Removal> {
  let deadline = parts.clock.monotonic() + enoughMilliseconds;
  let found = false;
  while (parts.clock.monotonic() < deadline && !enough()) {
    const { signals } = await checkTerminal(parts);
    const content = signals === null ? 'unknown' : composerContent(signals, text, { cleared: found });
    if (found && content === 'empty') return 'removed';
    if (content === 'ours' && signals?.dialog === null) {
      // A screen that was late to show the text is as late to show its removal.
      if (!found) deadline = parts.clock.monotonic() + enoughMilliseconds;
      found = true;
      const rows = rowsToClear(signals, text);
      try {
        const pane = await parts.watch.pane();
        await pane.leaveMode();
        await clearComposer(pane, rows);
      } catch (error) {
        // The next check shows what is left.
        if (!(error instanceof TmuxFault)) throw error;
      }
    }
    await nextSign(parts);
  }
  return found ? 'stands' : 'absent';
}

/**
 * The time after which a text that has not appeared is no longer expected; an equal one that appears later is a person's draft. A
 * text that is there stays ours for as long as it is there.
 */
const lateMilliseconds = 60_000;
/** The interval of the checks of a screen that gives no sign. */
const pollMilliseconds = 1000;

interface LateText {
  text: string;
  /** In milliseconds of the monotonic clock. */
  until: number;
  /** The process that it was pasted into; another process has its own composer. */
  toolPid: number | null;
  over: (gone: boolean) => void;
  failed: (fault: Error) => void;
}

/**
 * Prompts that were pasted and not taken, and that a slow agent may still draw: they are taken out of the composer as soon as
 * they appear, so that they neither delay the next prompt nor become a part of it.
 */
export class LateTexts {
  readonly #parts: TerminalParts;
  #awaited: LateText[] = [];
  #work: Promise<void> | null = null;
  #stopped = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /**
   * @param age how long ago it was given up, in milliseconds.
   * @returns true when it cannot appear any more; false if this process stops before that.
   * @throws the fault that kept the terminal from being checked.
   */
  remove(text: string, age: number): Promise<boolean> {
    const { clock, watch } = this.#parts;
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((over, failed) => {
      const until = clock.monotonic() + lateMilliseconds - age;
      this.#awaited.push({ text, until, toolPid: watch.tool?.pid ?? null, over, failed });
      this.#work ??= this.#watch();
    });
  }

  /** Stops. Texts that are still expected are left to the next gateway. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#parts.watch.stir();
    await this.#work;
  }

  async #watch(): Promise<void> {
    const { report } = this.#parts;
    const unhear = report.listen(null, (fact) => this.#hear(fact));
    try {
      while (this.#awaited.length > 0 && !this.#stopped) {
        await nextSign(this.#parts, pollMilliseconds);
        await this.#removeShown();
        this.#drop((late) => !this.#mayCome(late));
      }
      for (const late of this.#awaited.splice(0)) late.over(false);
    } catch (error) {
      for (const late of this.#awaited.splice(0)) late.failed(error as Error);
    } finally {
      unhear();
      this.#work = null;
    }
  }

  #mayCome({ until, toolPid, text }: LateText): boolean {
    const { clock, watch } = this.#parts;
    if (toolPid !== null && watch.tool !== null && watch.tool.pid !== toolPid) return false;
    const { signals } = watch.tracker;
    const content = signals === null ? 'unknown' : composerContent(signals, text);
    return clock.monotonic() < until || content === 'ours' || content === 'unknown';
  }

  async #removeShown(): Promise<void> {
    const shown = this.#shown();
    if (shown.length === 0 || this.#stopped) return;
    const text = shown.map((late) => late.text).join('');
    if ((await removeStranded(this.#parts, text)) === 'removed') this.#drop((late) => shown.includes(late));
  }

  /** Returns the texts in the composer: one of them, or all, as the composer joined them. */
  #shown(): readonly LateText[] {
    const { signals } = this.#parts.watch.tracker;
    const isShown = (some: readonly LateText[]): boolean =>
      signals !== null && composerContent(signals, some.map(({ text }) => text).join('')) === 'ours';
    const groups = [...this.#awaited.map((late) => [late]), this.#awaited];
    return groups.find((some) => some.length > 0 && isShown(some)) ?? [];
  }

  /** Drops a text that was submitted by a person. */
  #hear(fact: SelfReportFact): void {
    const { tool } = this.#parts;
    if (fact.kind !== 'prompt_taken' || tool === null) return;
    this.#drop(({ text }) => isSamePrompt(tool, text, fact.text));
  }

  #drop(isOver: (late: LateText) => boolean): void {
    const over = this.#awaited.filter(isOver);
    this.#awaited = this.#awaited.filter((late) => !over.includes(late));
    for (const late of over) late.over(true);
  }
}
