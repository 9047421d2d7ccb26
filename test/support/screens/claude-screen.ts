import { claudeScreens } from '../../../src/tools/claude/screens/claude-screens.js';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';

export const rule = '─'.repeat(40);

/** A screen of Claude Code as tmux captures it: the conversation, the composer and what stands below it. */
export const claudeScreen = (
  conversation: readonly string[],
  composer: readonly string[] = ['❯\u00a0'],
  footer: readonly string[] = ['  ⏸ manual mode on · ? for shortcuts'],
): string => [...conversation, '', rule, ...composer, rule, ...footer].join('\n');

export const workingFooter = ['  ⏸ manual mode on · esc to interrupt'];

/** The same screen without the blank row above the composer, which Claude Code leaves out for a menu or a hint. */
export const closedUp = (capture: string): string => capture.replace(/\n\n(─+\n❯)/, '\n$1');

/** The signals in a capture of Claude Code. */
export const detectClaude = (capture: string, version: string | null = '2.1.330'): FrameSignals =>
  claudeScreens.profileFor(version).detect({ rows: toStyledRows(capture), at: 0 }, []);
