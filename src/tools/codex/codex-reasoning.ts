import { ladderChoice, type ReasoningLadder } from '../reasoning-ladder.js';
import type { ReasoningChoice } from '../tool-adapter.js';

const OFF_REFUSAL = 'Codex has no reasoning effort that turns reasoning off; use 1 or more.';
const COMMON: ReasoningLadder = {
  presets: ['low', 'medium', 'high', 'xhigh'],
  off: null,
  offRefusal: OFF_REFUSAL,
};
const UP_TO_MAX: ReasoningLadder = { ...COMMON, presets: ['low', 'medium', 'high', 'xhigh', 'max'] };
const UP_TO_ULTRA: ReasoningLadder = {
  ...COMMON,
  presets: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
};

export function codexReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(ladderOf(modelName ?? ''), level);
}

function ladderOf(model: string): ReasoningLadder {
  if (model === 'gpt-5.6' || model.startsWith('gpt-5.6-sol') || model.startsWith('gpt-5.6-terra')) {
    return UP_TO_ULTRA;
  }
  return model.startsWith('gpt-5.6-luna') ? UP_TO_MAX : COMMON;
}
