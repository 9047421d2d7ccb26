import type { ScreenProfile, ToolScreens } from '../../screen/screen-profile.js';
import { claudeScreenRules } from './claude-screen-rules.js';
import { detectClaudeFrame } from './detect-claude-frame.js';

/** The terminal screens of Claude Code, looked at in 2.1.81, 2.1.197 and 2.1.330. */
export const claudeScreens: ToolScreens = {
  name: 'claude_code',
  processNames: ['claude', 'claude-code'],
  // 2.1.330 takes an Enter that comes with a text, and a letter from 100 ms after Escape (50 ms: one of three).
  keyPauses: { text: 50, escape: 250 },
  profileFor(version): ScreenProfile {
    const rules = claudeScreenRules(version);
    return { version: rules.version, detect: (frame) => detectClaudeFrame(frame.rows, rules) };
  },
};
