import { type ComposerText, composerTextKind } from '../../screen/frame-signals.js';
import { runsFrom, type StyledRow, type StyledRun } from '../../screen/styled-rows.js';
import {
  type ClaudeScreenRules,
  hasLeft,
  isAnswerRow,
  isPromptRow,
  isRule,
  isShellRow,
} from './claude-screen-rules.js';

/** The place of the composer: a row that begins with the prompt sign, and the rows that continue it, between two rules. */
export interface ComposerPlace {
  upperRule: number;
  lowerRule: number;
}

export interface ComposerContent {
  kind: ComposerText;
  /** Its rows without the prompt sign and the indentation, joined with `\n`; a shell command begins with `!`. */
  text: string;
  /** The same text without a suggestion behind it; null if it was not certainly typed. */
  draft: string | null;
  /** Some of the text is a suggestion of Claude Code. */
  suggested: boolean;
}

/**
 * The number of rows that may stand below the composer: a footer and at most a menu. A composer with more rows below it is from
 * an earlier screen.
 */
const mostRowsBelow = 24;
const indentation = 2;

/**
 * Finds the composer at the bottom of the screen; null if there is none, or if below it the conversation continues or the tool
 * has ended.
 */
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
    if (isPromptRow(text) || isShellRow(text)) return isRule(rows[at - 1]!.text) ? at - 1 : null;
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
  if (isShellRow(rows[upperRule + 1]?.text ?? '')) return shellCommand(textOf(lines));
  const runs = lines.flat();
  const byStyle = composerTextKind(runs, (run) => !isSuggestion(run, rules));
  const kind = byStyle === 'draft' && !rules.ordinaryTextIsTyped ? 'unknown' : byStyle;
  return {
    kind,
    text: textOf(lines),
    draft: kind === 'draft' ? textOf([...lines.slice(0, -1), typedPart(lines.at(-1) ?? [], rules)]) : null,
    suggested: runs.some((run) => isSuggestion(run, rules)),
  };
}

/** Reads a composer with a shell command. The sign alone is a draft too: text that is typed behind it would run in a shell. */
function shellCommand(command: string): ComposerContent {
  const text = `!${command}`;
  return { kind: 'draft', text, draft: text, suggested: false };
}

const textOf = (lines: readonly (readonly StyledRun[])[]): string =>
  lines.map((line) => line.map((run) => run.text).join('')).join('\n');

/** Returns a line without a suggestion at its end; the cursor may cover the first character of the suggestion. */
function typedPart(line: readonly StyledRun[], rules: ClaudeScreenRules): readonly StyledRun[] {
  const last = line.findLastIndex((run) => !run.dim && !isSuggestion(run, rules));
  if (last === line.length - 1) return line;
  const typed = line.slice(0, line[last]?.inverse === true ? last : last + 1);
  return typed.map((run, index) => (index === typed.length - 1 ? { ...run, text: run.text.trimEnd() } : run));
}

export const isSuggestion = (run: StyledRun, { suggestion }: ClaudeScreenRules): boolean =>
  suggestion !== null &&
  run.foreground === suggestion.foreground &&
  run.background === suggestion.background &&
  !run.dim &&
  !run.inverse &&
  !run.otherAttribute;

/** A row with a command, alone or with its description; a path has more than one slash. */
const menuRow = /^ +(?:❯ )?\/[a-z0-9][\w:.-]*(?: {2,}\S| \(|$)/i;

/** Recognizes a menu of commands just above or just below a composer whose text begins with `/`. */
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
