import type { VersionRange } from '../../screen/version-choice.js';

/** What differs in the screens of Gemini CLI from version to version. */
export interface GeminiProfile {
  version: string;
  /** Text in the composer that has not the colour of its hints was typed. */
  knowsDrafts: boolean;
}

export const geminiProfiles: readonly VersionRange<GeminiProfile>[] = [
  { from: [0, 61, 0], before: [0, 62, 0], value: { version: '0.61.x', knowsDrafts: true } },
];

export const geminiFallback: GeminiProfile = { version: 'fallback', knowsDrafts: false };
