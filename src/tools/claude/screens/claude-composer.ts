import { type ComposerText, composerTextKind } from '../../screen/composer-text.js';
import { runsFrom } from '../../screen/runs-from.js';
import type { StyledRow, StyledRun } from '../../screen/styled-rows.js';
import type { ClaudeScreenRules } from './claude-screen-rules.js';
import { hasLeft, isAnswerRow, isPromptRow, isRule } from './row-shapes.js';

/** Where the composer stands: a row that begins with the prompt sign, and rows that go on with it, between two rules. */
export interface ComposerPlace {
  upperRule: number;
  lowerRule: number;
}

export interface ComposerContent {
  kind: ComposerText;
  /** Its rows without the prompt sign and the indentation, joined with `\n`. */
  text: string;
  /** What stands there is what Claude Code suggests. */
  suggested: boolean;
}

/** Below the composer are a footer and at most a menu; more than that, and it is one of an earlier screen. */
const mostRowsBelow = 24;
const indentation = 2;

/** The composer at the bottom of the screen; null where there is none, or where the tool has gone on or left since. */
export function findComposer(rows: readonly StyledRow[], rules: ClaudeScreenRules): ComposerPlace | null {
  for (let lowerRule = rows.length - 1; lowerRule > 1; lowerRule -= 1) {
    const upperRule = isRule(rows[lowerRule]!.text) ? upperRuleOf(rows, lowerRule) : null;
    if (upperRule === null) continue;
    return isLive(rows.slice(lowerRule + 1), rules) ? { upperRule, lowerRule } : null;
  }
  return null;
}

function upperRuleOf(rows: readonly StyledRow[], lowerRule: number): number | null {
  for (let at = lowerRule - 1; at > 0; at -= 1) {
    const { text } = rows[at]!;
    if (isPromptRow(text)) return isRule(rows[at - 1]!.text) ? at - 1 : null;
    if (text !== '' && !text.startsWith(' '.repeat(indentation))) return null;
  }
  return null;
}

function isLive(below: readonly StyledRow[], rules: ClaudeScreenRules): boolean {
  const visible = below.filter((row) => row.text !== '');
  return (
    visible.length <= mostRowsBelow &&
    !hasLeft(visible) &&
    !visible.some(({ text }) => isPromptRow(text) || isAnswerRow(text, rules))
  );
}

export function composerContent(
  rows: readonly StyledRow[],
  { upperRule, lowerRule }: ComposerPlace,
  rules: ClaudeScreenRules,
): ComposerContent {
  const lines = rows.slice(upperRule + 1, lowerRule).map((row) => runsFrom(row, indentation));
  const runs = lines.flat();
  const kind = composerTextKind(runs, (run) => !isSuggestion(run, rules));
  return {
    kind: kind === 'draft' && !rules.ordinaryTextIsTyped ? 'unknown' : kind,
    text: lines.map((line) => line.map((run) => run.text).join('')).join('\n'),
    suggested: runs.some((run) => isSuggestion(run, rules)),
  };
}

export const isSuggestion = (run: StyledRun, { suggestion }: ClaudeScreenRules): boolean =>
  suggestion !== null &&
  run.foreground === suggestion.foreground &&
  run.background === suggestion.background &&
  !run.dim &&
  !run.inverse &&
  !run.otherAttribute;
