import { ladderChoice, type ReasoningLadder } from '../adapter/reasoning-ladder.js';
import type { ReasoningChoice } from '../adapter/tool-adapter.js';

const offRefusal = 'Codex has no reasoning effort that turns reasoning off; use 1 or more.';
const commonLadder: ReasoningLadder = {
  presets: ['low', 'medium', 'high', 'xhigh'],
  off: null,
  offRefusal,
};
const ladderUpToMax: ReasoningLadder = {
  ...commonLadder,
  presets: ['low', 'medium', 'high', 'xhigh', 'max'],
};
const ladderUpToUltra: ReasoningLadder = {
  ...commonLadder,
  presets: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
};

export function codexReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(ladderOf(modelName ?? ''), level);
}

function ladderOf(model: string): ReasoningLadder {
  if (model === 'gpt-5.6' || model.startsWith('gpt-5.6-sol') || model.startsWith('gpt-5.6-terra')) {
    return ladderUpToUltra;
  }
  return model.startsWith('gpt-5.6-luna') ? ladderUpToMax : commonLadder;
}
