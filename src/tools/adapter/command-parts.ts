import type { ReasoningChoice } from './tool-adapter.js';

/** The presets of a model, weakest first, and the one that turns reasoning off, if there is one. */
export interface ReasoningLadder {
  presets: readonly [string, ...string[]];
  off: string | null;
  /** Why level 0 is refused, as a sentence for the answer; only used when `off` is null. */
  offRefusal: string;
}

/**
 * Returns the preset at a position. Position 1 is the first preset; positions past the top mean the top; 0 asks for "off"
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
 * Writes an option and its value as two arguments. A value that begins with a dash joins its option in one argument, so that no
 * parser takes it for another option.
 */
export function optionArgument(option: string, value: string): string[] {
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}

/** Returns the role to send; null if it is empty. */
export function roleText(role: string | null): string | null {
  return role === null || role.trim() === '' ? null : role;
}

/**
 * Builds the command of a hook: it appends its input from the tool to a file, as a line of its own, and prints nothing. If the
 * file cannot be written, the command still reads its input and succeeds: a tool may wait until its input is read, and exit code
 * 2 would refuse the prompt. A path that is not a plain file could block and is not written to. The script is passed inline: if
 * it were a file and that were missing, the shell would exit with exactly that code.
 */
export const hookCommand = (file: string): string => `/bin/sh -c ${quoted(script)} ${quoted(file)}`;

const script =
  'exec 2>/dev/null; umask 077; { [ -f "$0" ] || [ ! -e "$0" ]; } && { cat; echo; } >>"$0" || cat >/dev/null; exit 0';

/** Quotes a text for sh, bash, zsh and fish: tools run hooks in the user's shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The time limit that a tool gets for such a command: Gemini CLI also counts the seconds in which it is itself busy with a long
 * prompt.
 */
export const hookSeconds = 30;
