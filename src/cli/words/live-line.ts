import type { WriteStream } from 'node:tty';
import type { Clock } from '../../foundation/clock.js';

/** A terminal's window, as far as a line of it can be written anew. */
export type Window = Pick<WriteStream, 'write' | 'columns' | 'cursorTo' | 'clearLine'>;

/** Says how something stands that began so many milliseconds ago. */
export type LiveWords = (elapsedMs: number) => string;

const tickMs = 1000;

/** The last line of a terminal, written anew each second while something is waited for. */
export class LiveLine {
  readonly #window: Window;
  readonly #clock: Clock;
  readonly #since: number;
  #words: LiveWords | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(window: Window, clock: Clock) {
    this.#window = window;
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  show(words: LiveWords): void {
    this.#words = words;
    this.#timer ??= setInterval(() => this.#draw(), tickMs).unref();
    this.#draw();
  }

  /** Writes whole lines above it. */
  above(lines: string): void {
    this.#clear();
    this.#window.write(lines);
    this.#draw();
  }

  /** Takes it away. */
  end(): void {
    this.#clear();
    this.#words = null;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #clear(): void {
    if (this.#words === null) return;
    this.#window.cursorTo(0);
    this.#window.clearLine(0);
  }

  #draw(): void {
    if (this.#words === null) return;
    this.#clear();
    // A line that fills the window would go on in the next one, which is not written anew.
    this.#window.write(this.#words(this.#clock.monotonic() - this.#since).slice(0, this.#window.columns - 1));
  }
}
