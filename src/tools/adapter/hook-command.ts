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
