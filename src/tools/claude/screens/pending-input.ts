import type { Tristate } from '../../screen/frame-signals.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { type ComposerContent, isSuggestion } from './claude-composer.js';
import type { ClaudeScreenRules } from './claude-screen-rules.js';
import type { LatestTurn } from './latest-turn.js';

const reach = 8;

/**
 * Whether prompts wait in Claude Code's queue. It says so below them, or in the empty composer; older versions only show
 * them in the colours of a suggestion above the composer. Hints above it, at whatever indentation, are no queue.
 */
export function pendingInput(
  above: readonly StyledRow[],
  composer: ComposerContent,
  turn: LatestTurn,
  rules: ClaudeScreenRules,
): Tristate {
  if (turn.queued) return 'yes';
  if (composer.kind === 'placeholder' && /\bedit queued messages?\b/.test(composer.text)) return 'yes';
  const row = indentedPromptRow(above);
  if (row === undefined) return 'no';
  const typed = row.runs.filter((run) => !/^ *❯? *$/.test(run.text));
  return typed.length > 0 && typed.every((run) => isSuggestion(run, rules)) ? 'yes' : 'unknown';
}

function indentedPromptRow(above: readonly StyledRow[]): StyledRow | undefined {
  const block = above.at(-1)?.text === '' ? above.slice(0, -1) : above;
  const near = block.slice(-reach);
  return near
    .slice(near.findLastIndex((row) => row.text === '') + 1)
    .findLast((row) => /^ {2,}❯ /.test(row.text));
}
