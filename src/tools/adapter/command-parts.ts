import type { ReasoningChoice } from './tool-adapter.js';

/** The presets of a model, weakest first, and what turns reasoning off, if anything does. */
export interface ReasoningLadder {
  presets: readonly [string, ...string[]];
  off: string | null;
  /** Why level 0 is refused, in words for the answer; only used when `off` is null. */
  offRefusal: string;
}

/**
 * Position 1 is the first preset; positions past the top mean the top; 0 asks for "off"
 * (docs/decisions.md#model-and-reasoning).
 */
export function ladderChoice(ladder: ReasoningLadder, level: number): ReasoningChoice {
  if (!Number.isInteger(level) || level < 0) {
    return { ok: false, reason: `A reasoning level is a whole number from 0, not ${level}.` };
  }
  if (level === 0) {
    return ladder.off === null ? { ok: false, reason: ladder.offRefusal } : { ok: true, preset: ladder.off };
  }
  const preset = ladder.presets[Math.min(level, ladder.presets.length) - 1] ?? ladder.presets[0];
  return { ok: true, preset };
}

/** @throws Error for a level that admission should have refused. */
export function requiredPreset(choice: ReasoningChoice): string {
  if (!choice.ok) throw new Error(choice.reason);
  return choice.preset;
}

/**
 * An option with its value, as two arguments. A value that begins with a dash joins its option in one argument,
 * so that no parser takes it for an option of its own.
 */
export function optionArgument(option: string, value: string): string[] {
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}

/** The role to send, or null when it is empty. */
export function roleText(role: string | null): string | null {
  return role === null || role.trim() === '' ? null : role;
}

/**
 * The command of a hook: it appends what the tool tells it to a file, as a line of its own, and prints nothing. Where the file
 * cannot be written it takes the text all the same and succeeds, as a tool may wait until it has, and exit code 2 would refuse the
 * prompt. What is not a plain file could hold it up, and is left alone. The script is no file of its own: without it, the shell
 * would exit with just that code.
 */
export const hookCommand = (file: string): string => `/bin/sh -c ${quoted(script)} ${quoted(file)}`;

const script =
  'exec 2>/dev/null; umask 077; { [ -f "$0" ] || [ ! -e "$0" ]; } && { cat; echo; } >>"$0" || cat >/dev/null; exit 0';

/** As sh, bash, zsh and fish read it: tools run hooks in the shell of the user. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** So long a tool waits for such a command at most: Gemini CLI counts the seconds in which a long prompt keeps itself busy. */
export const hookSeconds = 30;
