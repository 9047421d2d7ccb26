import { sanitiseText } from '../../foundation/sanitise.js';

/**
 * How a command ended that did not do what it was asked to: `failed`; `notKnown`, what became of a queued request cannot
 * be told yet; `stopped`, by Ctrl-C. `usage`: its flags do not go together. `doneAllTheSame`: it did, and something is wrong.
 */
export const exitCodes = { failed: 1, usage: 2, notKnown: 3, doneAllTheSame: 4, stopped: 130 } as const;

/** What went wrong and what to do; printed without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** How a command talks: results on stdout, progress on stderr, `--json` for programs. */
export class Output {
  readonly #json: boolean;

  constructor(json: boolean) {
    this.#json = json;
  }

  /** One step of long work; shown to people, not to programs. */
  progress(text: string): void {
    if (!this.#json) process.stderr.write(`${sanitiseText(text)}\n`);
  }

  /** The result: one JSON object for programs, lines for people. */
  result(value: object, lines: readonly string[]): void {
    process.stdout.write(
      this.#json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${sanitiseText(line)}\n`).join(''),
    );
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
