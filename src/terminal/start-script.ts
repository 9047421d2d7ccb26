/**
 * Leaves a person the user's login shell. A shell that ends at once (`nologin`, a start-up file that exits) would end the pane,
 * and with it the agent's session: a plain shell takes its place.
 */
export const leftShell = `begun=$(date +%s); "\${SHELL:-/bin/sh}" -l; code=$?
[ $(($(date +%s) - begun)) -lt 2 ] || exit $code
printf '[houmao: %s ended at once with code %s; this is /bin/sh]\\n' "\${SHELL:-/bin/sh}" "$code"
exec /bin/sh`;

/** The program that runs in an agent's pane. */
export interface TerminalProgram {
  executable: string;
  args: readonly string[];
  workingDirectory: string;
  /** Its whole environment; of the tmux server's environment it gets only the variables in `fromTmux`. */
  environment: Readonly<Record<string, string>>;
}

/** The variables that tmux sets for the programs in its panes: an agent names its pane by them. */
const fromTmux = ['TERM', 'TMUX', 'TMUX_PANE'] as const;

/**
 * Writes a script for `/bin/sh` that runs the program and then leaves a login shell, as the older implementation does. It
 * contains secrets: only its owner may read the file. It is a file, because tmux takes at most 16 KB of a command line, and every
 * user can read that.
 */
export function startScript(program: TerminalProgram): string {
  const variables = Object.entries(program.environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const kept = fromTmux.map((name) => `\${${name}:+"${name}=$${name}"}`);
  const command = [program.executable, ...program.args].map(quoted);
  return [
    '#!/bin/sh',
    `cd -- ${quoted(program.workingDirectory)} || exit`,
    ['env -i', ...variables, ...kept, ...command].join(' \\\n  '),
    `printf '\\n[houmao local interactive exited with code %s]\\n' "$?"`,
    // A tool that was killed leaves the terminal without echo, and Enter as no end of a line.
    'stty sane 2>/dev/null',
    leftShell,
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
