import { basename, delimiter, dirname, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { sanitiseText } from '../../foundation/text.js';
import { localTime } from './local-time.js';

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

type Format = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** What of a line is painted, and how. */
export interface Paint {
  readonly pattern: RegExp;
  readonly format: Format;
}

/** Whether text for people is coloured: on a terminal, unless NO_COLOR is set; FORCE_COLOR comes before both (force-color.org). */
export function wantsColours(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = environment;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && !none && terminal !== 'dumb';
}

export const coloured = (format: Format, text: string): string =>
  styleText(format, text, { validateStream: false });

/** The line with all that the paints find in it. */
export const painted = (line: string, paints: readonly Paint[]): string =>
  paints.reduce(
    (sofar, { pattern, format }) => sofar.replace(pattern, (found) => coloured(format, found)),
    line,
  );

/** A terminal's window, as far as a line of it can be written anew. */
export type Window = Pick<WriteStream, 'write' | 'columns' | 'cursorTo' | 'clearLine'>;

/** Says how something stands that began so many milliseconds ago. */
type LiveWords = (elapsedMs: number) => string;

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

/** How a program was called, as the process knows it. */
interface CalledAs {
  /** The file that was started, absolute: a link where it was called by one. */
  readonly script: string;
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The beginning of a command line that calls this program again from here. */
export function programName({ script, directory, environment }: CalledAs): string {
  const { npm_lifecycle_event: event, npm_lifecycle_script: command = '' } = environment;
  if (event === 'npx' && /^\W?houmao-mgr\b/.test(command)) return 'npx houmao-mgr';
  if ((environment.PATH ?? '').split(delimiter).includes(dirname(script))) return quoted(basename(script));
  const below = relative(directory, script);
  const near = below !== '' && !below.startsWith('..');
  return `node ${quoted(near ? below : script)}`;
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command of this program in a sentence of ours: it begins with its name, and one of its groups or `--help`. */
const mention = /(?<![\w/.-])houmao-mgr(?= (?:agents|server|mailbox|completion|--help)\b)/g;

/** A sentence whose commands can be pasted: they begin with what this program was called by. */
export const pastable = (text: string, name: string): string => text.replace(mention, () => name);

/** A column that can be read with less, and which end of it says more. */
interface Shrinking {
  readonly column: number;
  readonly keep: 'beginning' | 'end';
}

/** Of a column not less than this is left. */
const leastWidth = 8;

/**
 * A table that fits into a window: where it does not, cells of the columns that may shrink are cut, those of the first one first.
 *
 * @param width columns of the window; null leaves the table as it is
 */
export function fittedTable(
  rows: readonly (readonly string[])[],
  width: number | null,
  shrinking: readonly Shrinking[],
): string[] {
  let fitted = rows;
  for (const { column, keep } of shrinking) {
    const excess = width === null ? 0 : Math.max(0, ...table(fitted).map((line) => line.length)) - width;
    if (excess <= 0) break;
    const widest = Math.max(...fitted.map((row) => row[column]?.length ?? 0));
    const left = Math.max(leastWidth, widest - excess);
    fitted = fitted.map((row) => row.map((cell, index) => (index === column ? cut(cell, left, keep) : cell)));
  }
  return table(fitted);
}

function cut(cell: string, width: number, keep: Shrinking['keep']): string {
  if (cell.length <= width) return cell;
  return keep === 'end' ? `…${cell.slice(1 - width)}` : `${cell.slice(0, width - 1)}…`;
}

/** Asks the person at the terminal. @returns their line without blanks around it; empty after Ctrl-C and Ctrl-D. */
export async function askPerson(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const given = new AbortController();
  lines.once('SIGINT', () => given.abort()).once('close', () => given.abort());
  const answer = await lines.question(question, { signal: given.signal }).catch(() => '');
  lines.close();
  return answer.trim();
}

/** Runs work that the first Ctrl-C asks to stop, by its signal; the second one ends the program as it always does. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
  }
}
