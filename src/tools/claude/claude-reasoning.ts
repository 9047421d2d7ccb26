import { ladderChoice, type ReasoningLadder } from '../reasoning-ladder.js';
import type { ReasoningChoice } from '../tool-adapter.js';

const OFF_REFUSAL = 'Claude Code has no effort level that turns reasoning off; use 1 or more.';
const COMMON: ReasoningLadder = { presets: ['low', 'medium', 'high'], off: null, offRefusal: OFF_REFUSAL };
const WITH_MAX: ReasoningLadder = { ...COMMON, presets: ['low', 'medium', 'high', 'max'] };

export function claudeReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(modelName?.includes('opus-4-6') ? WITH_MAX : COMMON, level);
}
