import { paintFlowing, paintFull } from './paint.js';
import { type DrawnScreen, flowingScreen, fullScreen } from './screen.js';
import type { ScreenState } from './screen-state.js';

const alternateOn = '\u001b[?1049h';
const alternateOff = '\u001b[?1049l';
const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';
const cursorOff = '\u001b[?25l';
const cursorOn = '\u001b[?25h';

/** The terminal in which the stand-in draws. A change is drawn a little later, and only the difference is written. */
export class Terminal {
  readonly #output: NodeJS.WriteStream;
  readonly #state: ScreenState;
  readonly #delay: number;
  readonly #alternate: boolean;
  #drawn: DrawnScreen | null = null;
  #waiting: NodeJS.Timeout | null = null;
  #open = false;

  /** @param delay the time between a change and its drawing, in milliseconds. */
  constructor(output: NodeJS.WriteStream, state: ScreenState, delay: number, alternate: boolean) {
    this.#output = output;
    this.#state = state;
    this.#delay = delay;
    this.#alternate = alternate;
    // The rows have moved: on an alternate screen all of them are written again.
    output.on('resize', () => {
      if (this.#alternate) this.#drawn = null;
      this.#paint();
    });
  }

  /** Takes the terminal over, with a title. */
  open(title: string): void {
    this.#open = true;
    this.#output.write(`${this.#alternate ? alternateOn : ''}${pasteOn}${cursorOff}`);
    this.title(title);
    this.draw();
  }

  title(text: string): void {
    this.#output.write(`\u001b]0;${text}\u0007`);
  }

  /** Draws the changes soon. */
  draw(): void {
    if (this.#waiting !== null) return;
    this.#waiting = setTimeout(() => {
      this.#waiting = null;
      this.#paint();
    }, this.#delay);
  }

  /** Writes every row again, over the present content. */
  drawAgain(): void {
    if (this.#alternate && this.#drawn !== null) this.#drawn = { ...this.#drawn, rows: [] };
    this.#paint();
  }

  /** Gives the terminal back, with a last message. */
  close(lastWords: string): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    const leave = this.#alternate ? alternateOff : '\r\n';
    this.#output.write(`${pasteOff}${leave}${cursorOn}${lastWords}`);
  }

  #paint(): void {
    if (!this.#open) return;
    const size = { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
    const drawn = this.#alternate ? fullScreen(this.#state, size) : flowingScreen(this.#state, size);
    const bytes = this.#alternate ? paintFull(this.#drawn, drawn) : paintFlowing(this.#drawn, drawn);
    this.#drawn = drawn;
    if (bytes !== '') this.#output.write(bytes);
  }
}
