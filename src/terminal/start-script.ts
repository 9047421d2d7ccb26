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
    `exec "\${SHELL:-/bin/sh}" -l`,
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
