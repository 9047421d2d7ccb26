import { ladderChoice, type ReasoningLadder, requiredPreset } from '../adapter/reasoning-ladder.js';
import type { ReasoningChoice } from '../adapter/tool-adapter.js';

/**
 * Gemini 3 models take a thinking level, older ones a token budget; the API refuses a request with both. A name
 * that Gemini CLI resolves itself ("auto", or none) may end at either.
 */
type GeminiFamily = 'level' | 'budget' | 'routed';

const thinkingLevels = ['LOW', 'MEDIUM', 'HIGH'] as const;
const thinkingBudgets = ['512', '2048', '4096', '8192', '16384'] as const;

const ladders: Readonly<Record<GeminiFamily, ReasoningLadder>> = {
  level: {
    presets: thinkingLevels,
    off: null,
    offRefusal: 'Gemini 3 models cannot turn thinking off; use 1 or more.',
  },
  budget: { presets: thinkingBudgets, off: '0', offRefusal: '' },
  routed: {
    presets: thinkingBudgets,
    off: null,
    offRefusal:
      'Without a model name Gemini CLI may choose a Gemini 3 model, which cannot turn thinking off; name a model or use 1 or more.',
  },
};

export function geminiReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(ladders[familyOf(modelName)], level);
}

/**
 * A Gemini CLI settings file that sets the thinking of one turn, in place of the user's own `customOverrides`. Each
 * family gets its setting through the base that its chat models extend, because Gemini CLI renames models
 * (gemini-3-pro-preview is sent as gemini-3.1-pro-preview): an override by name would miss those, and one for every
 * chat model would add a budget to a level.
 */
export function thinkingSettings(level: number, modelName: string | null): string {
  const overrides = [
    override('chat-base-2.5', budgetConfig(level)),
    // "Off" does not exist for a Gemini 3 model: should the named one become one, the API refuses what it gets here.
    override('chat-base-3', level === 0 ? budgetConfig(0) : levelConfig(level)),
  ];
  const family = familyOf(modelName);
  if (modelName !== null && family !== 'routed') {
    // A model that is not in Gemini CLI's own table has neither base.
    overrides.push(override(modelName, family === 'level' ? levelConfig(level) : budgetConfig(level)));
  }
  return `${JSON.stringify({ modelConfigs: { customOverrides: overrides } }, null, 2)}\n`;
}

const override = (model: string, thinkingConfig: object) => ({
  match: { model },
  modelConfig: { generateContentConfig: { thinkingConfig } },
});

const budgetConfig = (level: number) => ({
  thinkingBudget: Number(requiredPreset(ladderChoice(ladders.budget, level))),
});

const levelConfig = (level: number) => ({
  thinkingLevel: requiredPreset(ladderChoice(ladders.level, level)),
});

function familyOf(modelName: string | null): GeminiFamily {
  const name = modelName ?? 'auto';
  // Gemma 4 is built on Gemini CLI's base for Gemini 3.
  if (/^((auto-)?gemini-3|gemma-4)/.test(name)) return 'level';
  return ['auto', 'pro', 'flash', 'flash-lite'].includes(name) ? 'routed' : 'budget';
}
