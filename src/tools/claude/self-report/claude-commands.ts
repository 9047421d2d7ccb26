/** What was typed, by the row of a command: `/name arguments`, or `!` and a command for the shell; null for any other row. */
export function typedCommand(text: string): string | null {
  const shell = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text)?.[1];
  if (shell !== undefined) return `!${shell}`;
  if (!text.startsWith('<command-')) return null;
  const name = /<command-name>(\/[^<]+)<\/command-name>/.exec(text)?.[1];
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  return name === undefined ? null : `${name} ${given}`.trim();
}

/** What a command of Claude Code printed when it had ended; null for any other row. */
export function commandOutput(text: string): string | null {
  const printed = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(text)?.[2];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing styles is the purpose.
  return printed?.replace(/\u001b\[[0-9;]*m/g, '').trim() ?? null;
}
