import type { ScreenProfile, ToolScreens } from '../../screen/screen-profile.js';
import { newerVersionNote, versionChoice } from '../../screen/version-choice.js';
import { codexDetector, detectCodex } from './codex-detect.js';
import { type CodexProfile, codexFallback, codexProfiles } from './codex-profile.js';

/** How the terminal screens of Codex are read. */
export const codexScreens: ToolScreens = {
  name: codexDetector,
  processNames: ['codex'],
  // 0.169.0 takes an Enter from 20 ms on (10 ms: never), and a letter from 20 ms after Escape.
  keyPauses: { text: 100, escape: 100 },
  profileFor(version) {
    const choice = versionChoice(version, codexProfiles);
    if (choice === null) return screenProfile(codexFallback, ['fallback_detector']);
    return screenProfile(choice.value, choice.newerThanKnown ? [newerVersionNote] : []);
  },
};

const screenProfile = (profile: CodexProfile, notes: readonly string[]): ScreenProfile => ({
  version: profile.version,
  detect: (frame, recent) => detectCodex(frame, recent, profile, notes),
});
