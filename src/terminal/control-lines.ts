// The lines that a tmux server writes to a client in control mode:
//
//   outside ──%begin──▶ inside a reply ──%end or %error of the same number──▶ outside
//
// Inside a reply every other line is its text, even if it looks like a notification: a captured screen may contain anything.

/** An event that the lines so far have completed. */
export type ControlEvent =
  /** The answer to one command; `ours` is false for a command that this client did not send. */
  | { kind: 'reply'; ours: boolean; failed: boolean; lines: readonly string[] }
  /** A program wrote to its pane; `data` as tmux escapes it ({@link unescaped}). */
  | { kind: 'output'; paneId: string; data: string }
  /** The server sends no more; with the reason, if it gives one. */
  | { kind: 'exit'; reason: string | null };

interface OpenReply {
  /** Time, number and flags of its `%begin`. */
  guard: string;
  ours: boolean;
  lines: string[];
}

/** The flags of a reply to a line of this client; the reply to the attach itself has 0. */
const askedByLine = '1';

/** Reads the lines of control mode. Each connection has one. */
export class ControlLines {
  #open: OpenReply | null = null;

  /** @returns null for a line that is not used. */
  read(line: string): ControlEvent | null {
    return this.#open ? this.#inside(this.#open, line) : this.#outside(line);
  }

  #inside(open: OpenReply, line: string): ControlEvent | null {
    const failed = line === `%error ${open.guard}`;
    if (!failed && line !== `%end ${open.guard}`) {
      open.lines.push(line);
      return null;
    }
    this.#open = null;
    return { kind: 'reply', ours: open.ours, failed, lines: open.lines };
  }

  #outside(line: string): ControlEvent | null {
    const begin = /^%begin (\d+ \d+ (\d+))$/.exec(line);
    if (begin) {
      this.#open = { guard: begin[1] ?? '', ours: begin[2] === askedByLine, lines: [] };
      return null;
    }
    const output = /^%(?:output (%\d+)|extended-output (%\d+) [^:]*:) /.exec(line);
    if (output)
      return { kind: 'output', paneId: output[1] ?? output[2] ?? '', data: line.slice(output[0].length) };
    const exit = /^%exit(?: (.*))?$/.exec(line);
    return exit ? { kind: 'exit', reason: exit[1] ?? null } : null;
  }
}

/** Returns the bytes that a program wrote: tmux writes control characters and backslashes as three octal digits. */
export const unescaped = (data: string): Buffer =>
  Buffer.from(
    data.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
  );

/** Writes a command as a line of control mode: each argument is quoted, so that tmux interprets nothing in it. */
export const commandLine = (args: readonly string[]): string => args.map(quoted).join(' ');

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** @throws {RangeError} for a character that a line of control mode cannot carry. */
function quoted(argument: string): string {
  const inside = argument.replace(/["\\$\p{Cc}]/gu, (found) => {
    const replacement = /["\\$]/.test(found) ? `\\${found}` : escapes[found];
    if (replacement === undefined)
      throw new RangeError(`U+${found.charCodeAt(0).toString(16)} has no place in a command`);
    return replacement;
  });
  return `"${inside}"`;
}
