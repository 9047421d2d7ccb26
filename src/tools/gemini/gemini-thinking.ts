import { ladderChoice, type ReasoningLadder } from '../reasoning-ladder.js';
import type { ReasoningChoice } from '../tool-adapter.js';

/**
 * Gemini 3 models take a thinking level, older ones a token budget; the API refuses a request with both. A name
 * that Gemini CLI resolves itself ("auto", or none) may end at either.
 */
type GeminiFamily = 'level' | 'budget' | 'routed';

const LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const;
const BUDGETS = ['512', '2048', '4096', '8192', '16384'] as const;

const LADDERS: Readonly<Record<GeminiFamily, ReasoningLadder>> = {
  level: {
    presets: LEVELS,
    off: null,
    offRefusal: 'Gemini 3 models cannot turn thinking off; use 1 or more.',
  },
  budget: { presets: BUDGETS, off: '0', offRefusal: '' },
  routed: {
    presets: BUDGETS,
    off: null,
    offRefusal:
      'Without a model name Gemini CLI may choose a Gemini 3 model, which cannot turn thinking off; name a model or use 1 or more.',
  },
};

/** Bases in Gemini CLI's own model table that its chat models extend, by family. */
const CHAT_BASES = { level: 'chat-base-3', budget: 'chat-base-2.5' } as const;

export function geminiReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(LADDERS[familyOf(modelName)], level);
}

/** A Gemini CLI settings file that sets the thinking of one turn. */
export function thinkingSettings(preset: string, level: number, modelName: string | null): string {
  const family = familyOf(modelName);
  const overrides =
    family === 'routed'
      ? [
          override(CHAT_BASES.budget, 'budget', preset),
          override(CHAT_BASES.level, 'level', levelPreset(level)),
        ]
      : // The name goes first; the base covers a name that Gemini CLI maps to a newer model.
        [override(modelName ?? '', family, preset), override(CHAT_BASES[family], family, preset)];
  return `${JSON.stringify({ modelConfigs: { customOverrides: overrides } }, null, 2)}\n`;
}

function override(model: string, family: 'level' | 'budget', preset: string) {
  const thinkingConfig = family === 'level' ? { thinkingLevel: preset } : { thinkingBudget: Number(preset) };
  return { match: { model }, modelConfig: { generateContentConfig: { thinkingConfig } } };
}

function levelPreset(level: number): string {
  return LEVELS[Math.min(level, LEVELS.length) - 1] ?? LEVELS[0];
}

function familyOf(modelName: string | null): GeminiFamily {
  const name = modelName ?? 'auto';
  if (/^(auto-)?gemini-3/.test(name)) return 'level';
  return ['auto', 'pro', 'flash', 'flash-lite'].includes(name) ? 'routed' : 'budget';
}
