import { basename, delimiter, dirname, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { systemClock } from '../../foundation/clock.js';
import { sanitiseText } from '../../foundation/text.js';
import { LiveLine, type Window } from './live-line.js';
import { localTime } from './local-time.js';

/** The surroundings of a command: how it was called, and the terminal it writes to. */
export interface CommandSurroundings {
  /** The beginning of a command line that calls this program again. */
  readonly programName: string;
  /** The window of standard error; null when it is no terminal. */
  readonly errorWindow: Window | null;
  /** The window of standard output; null when it is no terminal. */
  readonly outputWindow: Pick<Window, 'columns'> | null;
  /** Whether text for people on standard output is coloured. */
  readonly isColoured: boolean;
}

/** The result of a command: one object for programs, and lines for people. */
export interface CommandResult {
  readonly value: object;
  readonly lines: readonly string[];
}

/** The output of a command: results on stdout, progress on stderr, `--json` for programs. */
export class Output {
  readonly #json: boolean;
  readonly #surroundings: CommandSurroundings;
  #line: LiveLine | null = null;
  /** Whether text of an agent stands on a line that has not ended. */
  #isWithinText = false;

  constructor(json: boolean, surroundings: CommandSurroundings) {
    this.#json = json;
    this.#surroundings = surroundings;
  }

  /** Prints one step of long work; shown to people, not to programs. */
  progress(text: string): void {
    if (this.#json) return;
    this.endText();
    const line = `${this.pastable(sanitiseText(text))}\n`;
    if (this.#line) this.#line.above(line);
    else process.stderr.write(line);
  }

  /** Whether a person sees text on standard output as it comes. */
  get showsText(): boolean {
    return !this.#json && this.#surroundings.outputWindow !== null;
  }

  /** Prints a piece of an agent's text for people; the next piece continues its line. */
  text(piece: string): void {
    if (this.#json || piece === '') return;
    this.#line?.hide();
    process.stdout.write(sanitiseText(piece));
    this.#isWithinText = !piece.endsWith('\n');
    if (!this.#isWithinText) this.#line?.reveal();
  }

  /** Ends the line of an agent's text. */
  endText(): void {
    if (!this.#isWithinText) return;
    process.stdout.write('\n');
    this.#isWithinText = false;
    this.#line?.reveal();
  }

  /** Returns a line that moves during a wait; null for programs, and when standard error is no terminal. */
  liveLine(): LiveLine | null {
    const { errorWindow } = this.#surroundings;
    if (this.#json || errorWindow === null) return null;
    this.#line = new LiveLine(errorWindow, systemClock);
    return this.#line;
  }

  /**
   * Prints the result: one JSON object for programs, lines for people.
   *
   * @param paints the parts of the lines to colour, if colours are wanted: only words of this program.
   */
  result(value: object, lines: readonly string[], paints: readonly Paint[] = []): void {
    this.#line?.end();
    this.endText();
    const paint = (line: string) => (this.#surroundings.isColoured ? painted(line, paints) : line);
    process.stdout.write(
      this.#json
        ? `${JSON.stringify(value)}\n`
        : lines.map((line) => `${paint(sanitiseText(line))}\n`).join(''),
    );
  }

  /** Clears the window in which people read the result; does nothing for programs, and where it is no terminal. */
  clear(): void {
    if (!this.#json && this.#surroundings.outputWindow !== null) process.stdout.write('\u001b[H\u001b[2J');
  }

  /** Prints one JSON object for programs, and nothing for people. */
  object(value: object): void {
    if (this.#json) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** The settings of this output, for that of a part of its command. */
  get settings(): readonly [boolean, CommandSurroundings] {
    return [this.#json, this.#surroundings];
  }

  /** The columns of the window in which the result is read; null when it is no terminal. */
  get width(): number | null {
    return this.#surroundings.outputWindow?.columns ?? null;
  }

  /** The columns of the window in which progress is read; null when it is no terminal. */
  get progressWidth(): number | null {
    return this.#surroundings.errorWindow?.columns ?? null;
  }

  /** Prints a time for people: local, with its age. */
  readonly time = (iso: string): string => localTime(iso, systemClock.now());

  /**
   * Makes the commands in a line of ours ready to paste. Text of an agent never goes through here, since it must stay
   * unchanged.
   */
  pastable(line: string): string {
    return pastable(line, this.#surroundings.programName);
  }
}

/** The output of a command that is done for one of several agents: lines name it, and results for programs are collected. */
export class OutputOfOne extends Output {
  readonly results: object[] = [];
  readonly #name: string;

  constructor(name: string, output: Output) {
    super(...output.settings);
    this.#name = name;
  }

  override progress(text: string): void {
    super.progress(this.#named(text));
  }

  /** None: several agents would write over one line. */
  override liveLine(): null {
    return null;
  }

  /** The text of several agents would mix. */
  override get showsText(): boolean {
    return false;
  }

  override result(value: object, lines: readonly string[], paints: readonly Paint[] = []): void {
    this.results.push(value);
    if (!this.settings[0])
      super.result(
        value,
        lines.map((line, at) => (at === 0 ? this.#named(line) : line)),
        paints,
      );
  }

  #named(line: string): string {
    return line.includes(this.#name) ? line : `${this.#name}: ${line}`;
  }
}

/** Prints columns padded to their widest cell. */
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

/** A part of a line, and its colour. */
export interface Paint {
  readonly pattern: RegExp;
  readonly format: Format;
}

/**
 * Decides whether text for people is coloured: on a terminal other than `dumb`, unless NO_COLOR is set; FORCE_COLOR overrides
 * these (force-color.org).
 */
export function wantsColours(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = environment;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && !none && terminal !== 'dumb';
}

export const coloured = (format: Format, text: string): string =>
  styleText(format, text, { validateStream: false });

/** Colours every part of a line that the paints match. */
export const painted = (line: string, paints: readonly Paint[]): string =>
  paints.reduce(
    (sofar, { pattern, format }) => sofar.replace(pattern, (found) => coloured(format, found)),
    line,
  );

/** The facts about the call of a program, as the process has them. */
interface CalledAs {
  /** The absolute path of the file that was started: of the link, if it was called by one. */
  readonly script: string;
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Returns the beginning of a command line that calls this program again from here. */
export function programName({ script, directory, environment }: CalledAs): string {
  const { npm_lifecycle_event: event, npm_lifecycle_script: command = '' } = environment;
  if (event === 'npx' && /^\W?houmao-mgr\b/.test(command)) return 'npx houmao-mgr';
  if ((environment.PATH ?? '').split(delimiter).includes(dirname(script))) return quoted(basename(script));
  const below = relative(directory, script);
  const near = below !== '' && !below.startsWith('..');
  return `node ${quoted(near ? below : script)}`;
}

/** Quotes a word for a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Matches a command of this program in a sentence of ours: the name, followed by one of its groups or `--help`. */
const mention =
  /(?<![\w/.-])houmao-mgr(?= (?:agents|server|fleet|mailbox|completion|service|setup|top|up|--help)\b)/g;

/** Makes the commands in a sentence ready to paste: they begin with the name by which this program was called. */
export const pastable = (text: string, name: string): string => text.replace(mention, () => name);

/** A column that may be shortened, and the end of it that is kept. */
interface Shrinking {
  readonly column: number;
  readonly keep: 'beginning' | 'end';
}

/** The least width of a shortened column. */
const leastWidth = 8;

/**
 * Fits a table into a window: if it is too wide, cells of the columns that may shrink are cut, beginning with the first of
 * these columns.
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

/** Runs work whose signal is aborted by the first Ctrl-C; a second one ends the program at once. */
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
