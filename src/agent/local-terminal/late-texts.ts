import { composerContent } from '../../terminal/composer-content.js';
import { isSamePrompt } from '../../tools/self-report/same-prompt.js';
import type { SelfReportFact } from '../../tools/self-report/self-report.js';
import { removeStranded } from './stranded-prompt.js';
import { nextSign, type TerminalParts } from './terminal-parts.js';

/** A text that is not there after so long does not come any more; an equal one is somebody's draft by then. */
const lateMilliseconds = 60_000;
/** How often the screen is looked at when it makes no sign. */
const lookMilliseconds = 1000;

interface LateText {
  text: string;
  /** Milliseconds of the monotonic clock. */
  until: number;
  /** The process that it was pasted into; another one has a composer of its own. */
  toolPid: number | null;
  over: () => void;
}

/**
 * Prompts that were pasted and not taken, and that a slow agent may still draw: they are taken out of the composer as soon as
 * they appear, so that they neither keep the next prompt back nor become a part of it.
 */
export class LateTexts {
  readonly #parts: TerminalParts;
  readonly #stopping = new AbortController();
  #awaited: LateText[] = [];
  #work: Promise<void> = Promise.resolve();
  #works = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /**
   * @param age how long ago it was given up, in milliseconds.
   * @returns whether it cannot appear any more; false when this process goes down before.
   */
  remove(text: string, age: number): Promise<boolean> {
    const { clock, watch } = this.#parts;
    return new Promise((resolve) => {
      const until = clock.monotonic() + lateMilliseconds - age;
      this.#awaited.push({ text, until, toolPid: watch.tool?.pid ?? null, over: () => resolve(true) });
      this.#stopping.signal.addEventListener('abort', () => resolve(false), { once: true });
      if (!this.#works) this.#work = this.#watch();
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #watch(): Promise<void> {
    const { report } = this.#parts;
    this.#works = true;
    const unhear = report.listen(null, (fact) => this.#hear(fact));
    try {
      while (this.#awaited.length > 0 && !this.#stopping.signal.aborted) {
        await this.#sign();
        this.#drop((late) => !this.#mayCome(late));
        await this.#removeShown();
      }
    } finally {
      unhear();
      this.#works = false;
    }
  }

  async #sign(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([nextSign(this.#parts, lookMilliseconds), stopped]);
  }

  #mayCome({ until, toolPid }: LateText): boolean {
    const { clock, watch } = this.#parts;
    const another = toolPid !== null && watch.tool !== null && watch.tool.pid !== toolPid;
    return clock.monotonic() < until && !another;
  }

  async #removeShown(): Promise<void> {
    const shown = this.#shown();
    if (shown.length === 0 || this.#stopping.signal.aborted) return;
    const text = shown.map((late) => late.text).join('');
    if (await removeStranded(this.#parts, text)) this.#drop((late) => shown.includes(late));
  }

  /** What stands in the composer: one of them, or all, as the composer glued them together. */
  #shown(): readonly LateText[] {
    const { signals } = this.#parts.watch.tracker;
    const isShown = (some: readonly LateText[]): boolean =>
      signals !== null && composerContent(signals, some.map(({ text }) => text).join('')) === 'ours';
    const groups = [...this.#awaited.map((late) => [late]), this.#awaited];
    return groups.find((some) => some.length > 0 && isShown(some)) ?? [];
  }

  /** What a person submitted of them is theirs. */
  #hear(fact: SelfReportFact): void {
    const { tool } = this.#parts;
    if (fact.kind !== 'prompt_taken' || tool === null) return;
    this.#drop(({ text }) => isSamePrompt(tool, text, fact.text));
  }

  #drop(isOver: (late: LateText) => boolean): void {
    const over = this.#awaited.filter(isOver);
    this.#awaited = this.#awaited.filter((late) => !over.includes(late));
    for (const late of over) late.over();
  }
}
