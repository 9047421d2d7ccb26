import { newerVersionNote, type VersionRange, versionChoice } from '../../screen/screen-profile.js';
import type { StyledRow } from '../../screen/styled-rows.js';

/** What differs between the screens of Claude Code's versions. */
export interface ClaudeScreenRules {
  /** Such as `2.1.x`. */
  version: string;
  /** Whether text of an ordinary style in the composer was surely typed. */
  ordinaryTextIsTyped: boolean;
  /** The colours in which Claude Code suggests a prompt and shows one that waits in its queue. */
  suggestion: { foreground: string; background: string } | null;
  /** The characters that turn in front of a line while Claude Code works, and stand there when it is done. */
  workGlyphs: string;
  /** In front of an answer and of a tool call; which of them depends on the platform. */
  answerGlyphs: string;
  notes: readonly string[];
}

const fallback: ClaudeScreenRules = {
  version: 'fallback',
  ordinaryTextIsTyped: false,
  suggestion: null,
  workGlyphs: '✢✻✽✶✳·*',
  answerGlyphs: '●⏺',
  notes: ['fallback_detector'],
};

const ranges: readonly VersionRange<ClaudeScreenRules>[] = [
  {
    from: [2, 1, 0],
    before: [2, 2, 0],
    value: {
      ...fallback,
      version: '2.1.x',
      ordinaryTextIsTyped: true,
      suggestion: { foreground: '5;231', background: '5;237' },
      notes: [],
    },
  },
];

export function claudeScreenRules(version: string | null): ClaudeScreenRules {
  const choice = versionChoice(version, ranges);
  if (choice === null) return fallback;
  return choice.newerThanKnown
    ? { ...choice.value, notes: [...choice.value.notes, newerVersionNote] }
    : choice.value;
}

const promptSign = '❯';

/** A line across the pane, which may bear the name of the session. */
export const isRule = (text: string): boolean => /^─{8,}(?: .* ─+)?$/.test(text);

/** The upper edge of a panel that covers the composer. */
export const isPanelEdge = (text: string): boolean => /^▔{8,}$/.test(text);

/** The prompt sign at the very left: a composer, or a prompt of the conversation. Choices of a dialog are indented. */
export const isPromptRow = (text: string): boolean =>
  text === promptSign || text.startsWith(`${promptSign} `);

/** Instead of the prompt sign: the composer holds a command for the shell. */
const shellSign = '!';

export const isShellRow = (text: string): boolean => text === shellSign || text.startsWith(`${shellSign} `);

/** A prompt of the conversation, with its text. */
export const isSentPromptRow = (text: string): boolean => isPromptRow(text) && text !== promptSign;

/** Where Claude Code was started: what stands above belongs to an earlier run. */
export const isBannerRow = (text: string): boolean => /^[ ▐▛█▜▌▝▘╭─]*Claude Code v[0-9]/.test(text);

/** What an answer or a tool call begins with. */
export function isAnswerRow(text: string, { answerGlyphs }: ClaudeScreenRules): boolean {
  return text !== '' && answerGlyphs.includes(text[0]!) && (text.length === 1 || text[1] === ' ');
}

/** What follows the glyph of a line on Claude Code's own work; null for any other row. */
export function workText(text: string, { workGlyphs }: ClaudeScreenRules): string | null {
  return text.length > 2 && workGlyphs.includes(text[0]!) && text[1] === ' ' ? text.slice(2).trim() : null;
}

/** What follows `⎿`: a result, or Claude Code's word on how something ended. Prompts, which have a background, may quote one. */
export function resultText(row: StyledRow): string | null {
  const match = /^ *⎿ +(\S.*)$/.exec(row.text);
  return match === null || row.runs.every((run) => run.background !== null) ? null : match[1]!;
}

/**
 * Claude Code has said goodbye, tmux that the process of the pane is gone, or a shell waits: its prompt ends the screen at
 * the very left, where no footer of Claude Code begins.
 */
export const hasLeft = (rows: readonly StyledRow[]): boolean =>
  rows.some(({ text }) => /^(?:Resume this session with:|Pane is dead\b)/.test(text)) ||
  /^\S.*[$#]$/.test(rows.at(-1)?.text ?? '');

/** The last rows that are not empty; four hold a footer, or the goodbye. */
export const lastVisible = (rows: readonly StyledRow[], count = 4): StyledRow[] =>
  rows.filter((row) => row.text !== '').slice(-count);
