import { systemClock } from '../../foundation/clock.js';
import { sanitiseText } from '../../foundation/sanitise.js';
import { type Paint, painted } from './colours.js';
import { LiveLine, type Window } from './live-line.js';
import { localTime } from './local-time.js';
import { pastable } from './program-name.js';

/** What is around a command: how it was called, and the terminal that it talks to. */
export interface Surroundings {
  /** The beginning of a command line that calls this program again. */
  readonly programName: string;
  /** The window that standard error goes to; null where it is no terminal. */
  readonly errorWindow: Window | null;
  /** That of standard output. */
  readonly outputWindow: Pick<Window, 'columns'> | null;
  /** Whether what people read on standard output is coloured. */
  readonly isColoured: boolean;
}

/** How a command talks: results on stdout, progress on stderr, `--json` for programs. */
export class Output {
  readonly #json: boolean;
  readonly #surroundings: Surroundings;
  #line: LiveLine | null = null;

  constructor(json: boolean, surroundings: Surroundings) {
    this.#json = json;
    this.#surroundings = surroundings;
  }

  /** One step of long work; shown to people, not to programs. */
  progress(text: string): void {
    if (this.#json) return;
    const line = `${this.pastable(sanitiseText(text))}\n`;
    if (this.#line) this.#line.above(line);
    else process.stderr.write(line);
  }

  /** A line that moves while something is waited for; null for programs, and where standard error is no terminal. */
  liveLine(): LiveLine | null {
    const { errorWindow } = this.#surroundings;
    if (this.#json || errorWindow === null) return null;
    this.#line = new LiveLine(errorWindow, systemClock);
    return this.#line;
  }

  /**
   * The result: one JSON object for programs, lines for people.
   *
   * @param paints what is coloured in the lines, where colours are wanted: only what this program says itself.
   */
  result(value: object, lines: readonly string[], paints: readonly Paint[] = []): void {
    this.#line?.end();
    const paint = (line: string) => (this.#surroundings.isColoured ? painted(line, paints) : line);
    process.stdout.write(
      this.#json
        ? `${JSON.stringify(value)}\n`
        : lines.map((line) => `${paint(sanitiseText(line))}\n`).join(''),
    );
  }

  /** Columns of the window that the result is read in; null where it is no terminal. */
  get width(): number | null {
    return this.#surroundings.outputWindow?.columns ?? null;
  }

  /** The same of the window that progress is read in. */
  get progressWidth(): number | null {
    return this.#surroundings.errorWindow?.columns ?? null;
  }

  /** A time as people read it: local, with its age. */
  readonly time = (iso: string): string => localTime(iso, systemClock.now());

  /** A line of ours whose commands can be pasted. What an agent said is left as it is, so that it never goes through here. */
  pastable(line: string): string {
    return pastable(line, this.#surroundings.programName);
  }
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (sofar, row) => row.map((cell, index) => Math.max(cell.length, sofar[index] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
