import type { Candidate } from './candidates.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Candidates as the script of that shell reads them, one a line. */
export function linesFor(shell: Shell, candidates: readonly Candidate[]): string[] {
  if (shell === 'bash') return candidates.map(({ value }) => value);
  const separator = shell === 'zsh' ? ':' : '\t';
  return candidates.map(({ value, description }) => {
    const name = shell === 'zsh' ? value.replaceAll(':', '\\:') : value;
    return description === '' ? name : `${name}${separator}${description}`;
  });
}

/**
 * What a shell is to run once, so that it asks this program at each Tab. The words go as they are, never through `eval`: a prompt
 * that is being typed may hold anything (docs/decisions.md#shell-completion).
 */
export const completionScript = (shell: Shell): string => scripts[shell];

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of houmao-mgr for bash. In ~/.bashrc: eval "$(houmao-mgr completion bash)"
_houmao_mgr() {
  local IFS=$'\\n'
  COMPREPLY=($(houmao-mgr complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _houmao_mgr houmao-mgr
`,
  zsh: `#compdef houmao-mgr
# Completion of houmao-mgr for zsh. In ~/.zshrc, behind compinit: eval "$(houmao-mgr completion zsh)"
_houmao_mgr() {
  local -a found
  found=("\${(@f)$(houmao-mgr complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then _describe -V houmao-mgr found; else _files; fi
}
compdef _houmao_mgr houmao-mgr
`,
  fish: `# Completion of houmao-mgr for fish. In ~/.config/fish/config.fish: houmao-mgr completion fish | source
function __houmao_mgr_found
  set -l before (commandline -opc)
  set -l begun (commandline -ct)
  set -g __houmao_mgr_lines (houmao-mgr complete fish -- $before[2..-1] "$begun" 2>/dev/null)
  test -n "$__houmao_mgr_lines"
end
complete -c houmao-mgr -n __houmao_mgr_found -f -a '$__houmao_mgr_lines'
`,
};
