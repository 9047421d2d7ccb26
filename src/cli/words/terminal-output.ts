import { sanitiseText } from '../../foundation/sanitise.js';
import { pastable } from './program-name.js';

/** What is around a command: how it was called, and the terminal that it talks to. */
export interface Surroundings {
  /** The beginning of a command line that calls this program again. */
  readonly programName: string;
}

/** How a command talks: results on stdout, progress on stderr, `--json` for programs. */
export class Output {
  readonly #json: boolean;
  readonly #surroundings: Surroundings;

  constructor(json: boolean, surroundings: Surroundings) {
    this.#json = json;
    this.#surroundings = surroundings;
  }

  /** One step of long work; shown to people, not to programs. */
  progress(text: string): void {
    if (!this.#json) process.stderr.write(`${this.pastable(sanitiseText(text))}\n`);
  }

  /** The result: one JSON object for programs, lines for people. */
  result(value: object, lines: readonly string[]): void {
    process.stdout.write(
      this.#json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${sanitiseText(line)}\n`).join(''),
    );
  }

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
