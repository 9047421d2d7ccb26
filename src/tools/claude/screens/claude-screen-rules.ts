import { newerVersionNote, type VersionRange, versionChoice } from '../../screen/screen-profile.js';
import type { StyledRow } from '../../screen/styled-rows.js';

/** The differences between the screens of Claude Code versions. */
export interface ClaudeScreenRules {
  /** The range of versions, such as `2.1.x`. */
  version: string;
  /** Whether text of an ordinary style in the composer was certainly typed. */
  ordinaryTextIsTyped: boolean;
  /** The colours in which Claude Code shows a suggested prompt, and one that waits in its queue. */
  suggestion: { foreground: string; background: string } | null;
  /** The characters of the animation in front of a line while Claude Code works; one of them remains when it is done. */
  workGlyphs: string;
  /** The characters in front of an answer and of a tool call, which depend on the platform. */
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

/** Recognizes a line across the pane, which may contain the name of the session. */
export const isRule = (text: string): boolean => /^─{8,}(?: .* ─+)?$/.test(text);

/** Recognizes the upper edge of a panel that covers the composer. */
export const isPanelEdge = (text: string): boolean => /^▔{8,}$/.test(text);

/**
 * Recognizes the prompt sign in the first column: a composer, or a prompt of the conversation. Choices of a dialog are indented.
 */
export const isPromptRow = (text: string): boolean =>
  text === promptSign || text.startsWith(`${promptSign} `);

/** Replaces the prompt sign in a composer that holds a shell command. */
const shellSign = '!';

export const isShellRow = (text: string): boolean => text === shellSign || text.startsWith(`${shellSign} `);

/** Recognizes a prompt of the conversation, with its text. */
export const isSentPromptRow = (text: string): boolean => isPromptRow(text) && text !== promptSign;

/** Recognizes the row with which Claude Code starts: the rows above belong to an earlier run. */
export const isBannerRow = (text: string): boolean => /^[ ▐▛█▜▌▝▘╭─]*Claude Code v[0-9]/.test(text);

/** Recognizes the beginning of an answer or of a tool call. */
export function isAnswerRow(text: string, { answerGlyphs }: ClaudeScreenRules): boolean {
  return text !== '' && answerGlyphs.includes(text[0]!) && (text.length === 1 || text[1] === ' ');
}

/** Returns the text behind the glyph of a line on Claude Code's own work; null for any other row. */
export function workText(text: string, { workGlyphs }: ClaudeScreenRules): string | null {
  return text.length > 2 && workGlyphs.includes(text[0]!) && text[1] === ' ' ? text.slice(2).trim() : null;
}

/**
 * Returns the text behind `⎿`: a result, or Claude Code's note on how something ended. A prompt, which has a background, may
 * quote one and does not count.
 */
export function resultText(row: StyledRow): string | null {
  const match = /^ *⎿ +(\S.*)$/.exec(row.text);
  return match === null || row.runs.every((run) => run.background !== null) ? null : match[1]!;
}

/**
 * Recognizes that the tool has ended: Claude Code has printed its last message, tmux reports a dead pane, or a shell waits. A
 * shell prompt ends the screen in the first column, where no footer of Claude Code begins.
 */
export const hasLeft = (rows: readonly StyledRow[]): boolean =>
  rows.some(({ text }) => /^(?:Resume this session with:|Pane is dead\b)/.test(text)) ||
  /^\S.*[$#]$/.test(rows.at(-1)?.text ?? '');

/** Returns the last rows that are not empty; four contain a footer, or the last message of Claude Code. */
export const lastVisible = (rows: readonly StyledRow[], count = 4): StyledRow[] =>
  rows.filter((row) => row.text !== '').slice(-count);
