import { ladderChoice, type ReasoningLadder } from '../adapter/reasoning-ladder.js';
import type { ReasoningChoice } from '../adapter/tool-adapter.js';

const offRefusal = 'Claude Code has no effort level that turns reasoning off; use 1 or more.';
const commonLadder: ReasoningLadder = {
  presets: ['low', 'medium', 'high'],
  off: null,
  offRefusal,
};
const ladderWithMax: ReasoningLadder = { ...commonLadder, presets: ['low', 'medium', 'high', 'max'] };

export function claudeReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(modelName?.includes('opus-4-6') ? ladderWithMax : commonLadder, level);
}
