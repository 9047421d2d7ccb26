import type { VersionRange } from '../../screen/version-choice.js';

/** What differs in the screens of Codex from version to version. */
export interface CodexProfile {
  version: string;
  /** Text in an ordinary style was typed. In versions that were never looked at, Codex may show its own text so. */
  knowsDrafts: boolean;
  /** Each turn ends with a row that says how long it took, so that one without such a row goes on. */
  endsTurns: boolean;
  /** Cells tell of other agents that Codex waits for. */
  collaborates: boolean;
  /** A transcript that grows shows work: by itself, or only soon after work was seen. */
  growthShowsWork: 'always' | 'after_activity';
  /** An interrupt may say nothing, and put the prompt back into the composer. */
  interruptsSilently: boolean;
}

const early: Omit<CodexProfile, 'version'> = {
  knowsDrafts: true,
  endsTurns: false,
  collaborates: false,
  growthShowsWork: 'always',
  interruptsSilently: false,
};
const later: Omit<CodexProfile, 'version'> = {
  knowsDrafts: true,
  endsTurns: false,
  collaborates: true,
  growthShowsWork: 'after_activity',
  interruptsSilently: true,
};

export const codexProfiles: readonly VersionRange<CodexProfile>[] = [
  { from: [0, 116, 0], before: [0, 117, 0], value: { version: '0.116.x', ...early } },
  { from: [0, 144, 0], before: [0, 145, 0], value: { version: '0.144.x', ...later } },
  { from: [0, 169, 0], before: [0, 170, 0], value: { version: '0.169.x', ...later, endsTurns: true } },
];

export const codexFallback: CodexProfile = { version: 'fallback', ...early, knowsDrafts: false };
