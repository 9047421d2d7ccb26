import { newerVersionNote, type VersionRange, versionChoice } from '../../screen/version-choice.js';

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
