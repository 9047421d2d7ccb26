/**
 * Leaves a person the login shell of the user. One that ends at once (`nologin`, a start-up file that exits) would end the pane, and
 * with it the agent's session: a plain shell takes its place.
 */
export const leftShell = `begun=$(date +%s); "\${SHELL:-/bin/sh}" -l; code=$?
[ $(($(date +%s) - begun)) -lt 2 ] || exit $code
printf '[houmao: %s ended at once with code %s; this is /bin/sh]\\n' "\${SHELL:-/bin/sh}" "$code"
exec /bin/sh`;

/** What runs in an agent's pane. */
export interface TerminalProgram {
  executable: string;
  args: readonly string[];
  workingDirectory: string;
  /** All of its environment; nothing of the tmux server's reaches it but what says where it is. */
  environment: Readonly<Record<string, string>>;
}

/** What tmux tells the programs in its panes: agents name their pane by it. */
const fromTmux = ['TERM', 'TMUX', 'TMUX_PANE'] as const;

/**
 * A script for `/bin/sh` that runs the program and then leaves a login shell, as the older implementation does. It holds
 * secrets: only its owner may read the file. A file, because tmux takes at most 16 KB of a command line, and everybody can
 * read that.
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
    leftShell,
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
