import type { ScreenProfile, ToolScreens } from '../../screen/screen-profile.js';
import { newerVersionNote, versionChoice } from '../../screen/version-choice.js';
import { detectGemini, geminiDetector } from './gemini-detect.js';
import { type GeminiProfile, geminiFallback, geminiProfiles } from './gemini-profile.js';

/** How the terminal screens of Gemini CLI are read. */
export const geminiScreens: ToolScreens = {
  name: geminiDetector,
  processNames: ['gemini'],
  // 0.61.0 takes an Enter from 20 ms on (10 ms: one of two), and a letter from 100 ms after Escape (50 ms: two of three).
  keyPauses: { text: 100, escape: 250 },
  profileFor(version) {
    const choice = versionChoice(version, geminiProfiles);
    if (choice === null) return screenProfile(geminiFallback, ['fallback_detector']);
    return screenProfile(choice.value, choice.newerThanKnown ? [newerVersionNote] : []);
  },
};

const screenProfile = (profile: GeminiProfile, notes: readonly string[]): ScreenProfile => ({
  version: profile.version,
  detect: (frame) => detectGemini(frame.rows, profile, notes),
});
