import type { WriteStream } from 'node:tty';
import type { Clock } from '../../foundation/clock.js';

/** The window of a terminal, as far as rewriting a line needs it. */
export type Window = Pick<WriteStream, 'write' | 'columns' | 'cursorTo' | 'clearLine'>;

/** Describes the state of work that began `elapsedMs` milliseconds ago. */
type LiveWords = (elapsedMs: number) => string;

const tickMs = 1000;

/** The last line of a terminal, which is redrawn each second during a wait. */
export class LiveLine {
  readonly #window: Window;
  readonly #clock: Clock;
  readonly #since: number;
  #words: LiveWords | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isHidden = false;

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

  /** Removes the line until {@link LiveLine.reveal}, since other text is written where it stands. */
  hide(): void {
    this.#clear();
    this.#isHidden = true;
  }

  reveal(): void {
    this.#isHidden = false;
  }

  /** Removes the line. */
  end(): void {
    this.#clear();
    this.#words = null;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #clear(): void {
    if (this.#words === null || this.#isHidden) return;
    this.#window.cursorTo(0);
    this.#window.clearLine(0);
  }

  #draw(): void {
    if (this.#words === null || this.#isHidden) return;
    this.#clear();
    // A line as wide as the window would continue in the next one, which is not redrawn.
    this.#window.write(this.#words(this.#clock.monotonic() - this.#since).slice(0, this.#window.columns - 1));
  }
}
