import type { StyledRow } from '../../screen/styled-rows.js';
import type { ComposerPlace } from './claude-composer.js';

/** A command, alone or with its description; a path has more than one slash. */
const menuRow = /^ +(?:❯ )?\/[a-z0-9][\w:.-]*(?: {2,}\S| \(|$)/i;

/** Commands to choose from, just above or just below a composer whose text begins with `/`. */
export function hasSlashMenu(
  rows: readonly StyledRow[],
  { upperRule, lowerRule }: ComposerPlace,
  composerText: string,
): boolean {
  if (!composerText.startsWith('/')) return false;
  const above = rows.slice(
    rows.findLastIndex((row, index) => index < upperRule && row.text === '') + 1,
    upperRule,
  );
  return [...above, ...rows.slice(lowerRule + 1)].some((row) => menuRow.test(row.text));
}
